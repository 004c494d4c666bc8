import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

/// Other programs' streams: the session mutes or lowers each, and undoes it.
@Suite("Others that a session silences or ducks by itself", .bothServers, .timeLimit(.minutes(10)))
struct OtherStreamsTests {
  typealias Place = OthersTests.Place

  /// PipeWire, and PulseAudio; both remember a program's volume and mute.
  private func with(_ place: Place, _ body: (Rig) async throws -> Void) async throws {
    var configuration = place.configuration
    if place == .desktop { configuration.modules.insert("module-stream-restore", at: 0) }
    try await Rig.with(configuration, body)
  }

  static let places = [Place.desktop, .graph]

  private func player(
    _ rig: Rig, _ name: String, isCorked: Bool = false
  ) async throws -> (client: PulseClient, stream: PulseStream) {
    let client = try await PulseClient.connect(
      to: rig.sandbox.address, name: name,
      properties: ["application.process.id": "1", "application.name": name],
      timeout: .seconds(20), requestTimeout: .seconds(20))
    let stream = try await client.openStream(
      StreamOptions(
        direction: .output, name: "song", device: nil,
        spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: isCorked))
    return (client, stream)
  }

  /// PipeWire may lose a volume that is set while the stream is being connected: it is asked again.
  private func set(_ volume: ChannelVolumes, of stream: PulseStream, _ rig: Rig) async throws {
    for number in 1...20 {
      noteTry(number, of: 20)
      try await rig.outside.setStreamVolume(.output, stream.index, volume)
      let isSet = try await eventually(within: .seconds(1)) {
        try await rig.outside.snapshot().sinkInput(stream)?.volume == volume
      }
      if isSet { return }
      try #require(number < 20, "the volume of a stream was not set")
    }
  }

  private func volumes(_ fraction: Double) -> ChannelVolumes {
    ChannelVolumes(Volume(fraction: fraction), channels: 2)
  }

  private let silence = AudioMode(category: .playback, options: [.silenceOthers])
  private let duck = AudioMode(category: .playback, options: [.duckOthers])

  @Test("streams that play are lowered by 20 dB, and restored exactly", arguments: places)
  func exactly(_ place: Place) async throws {
    try await with(place) { rig in
      let (client, stream) = try await player(rig, "firefox")
      let (paused, silent) = try await player(rig, "paused", isCorked: true)
      let before = volumes(0.8)
      try await set(before, of: stream, rig)
      let state = try await rig.session.setAudioMode(duck).state
      #expect(state.properties[.options]?.verdict == .applied)
      #expect(
        try await rig.eventually { snapshot in
          guard let lowered = snapshot.sinkInput(stream)?.volume?.loudest else { return false }
          return abs(lowered.decibels - before.loudest.decibels + 20) < 0.01
            && snapshot.sinkInput(silent)?.volume == volumes(1)
        })
      // Who was paused is lowered when it goes on.
      try await silent.cork(false)
      #expect(
        try await rig.eventually { ($0.sinkInput(silent)?.volume?.loudest ?? .norm) < .norm })
      // A second time nothing is written.
      #expect(try await rig.session.setAudioMode(duck).steps.isEmpty)
      // What is silenced instead is no longer lowered.
      try await rig.session.setAudioMode(silence)
      #expect(
        try await rig.eventually { snapshot in
          let silenced = snapshot.sinkInput(stream)
          return silenced?.isMuted == true && silenced?.volume == before
        })
      let report = try await rig.session.setActive(false, options: .notifyOthersOnDeactivation)
      #expect(report.left.isEmpty)
      #expect(
        try await rig.eventually { after in
          after.sinkInput(stream)?.volume == before
            && after.sinkInput(stream)?.isMuted == false
            && after.sinkInput(silent)?.volume == volumes(1)
        })
      await client.close()
      await paused.close()
    }
  }

  @Test(
    "who begins to play later is silenced, whenever the mode is applied again", arguments: places,
    [ReapplyPolicy.onRouteChange, .never])
  func later(_ place: Place, _ policy: ReapplyPolicy) async throws {
    try await with(place) { rig in
      var mode = silence
      mode.reapply = policy
      try await rig.session.setAudioMode(mode)
      let (client, stream) = try await player(rig, "firefox")
      #expect(try await rig.eventually { $0.sinkInput(stream)?.isMuted == true })
      try await rig.session.revert()
      #expect(try await rig.eventually { $0.sinkInput(stream)?.isMuted == false })
      await client.close()
    }
  }

  @Test(
    "what a server has no time to store is stored later: the program is not silent the next time")
  func storedLater() async throws {
    try await with(.desktop) { rig in
      let proxy = try Proxy(to: rig.sandbox.address)
      defer { proxy.end() }
      let session = AudioSession(
        server: proxy.address,
        configuration: SessionConfiguration(
          timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/proxied"))
      try await session.setAudioMode(silence)
      proxy.swallow("module-stream-restore")
      let (client, stream) = try await player(rig, "firefox")
      #expect(try await rig.eventually { $0.sinkInput(stream)?.isMuted == true })
      let name = "sink-input-by-application-name:firefox"
      func isStoredMuted() async throws -> Bool? {
        try await rig.outside.savedStreams().first { $0.name == name }?.isMuted
      }
      #expect(try await eventually { try await isStoredMuted() == true && proxy.swallows > 0 })
      proxy.swallow(nil)
      let (other, song) = try await player(rig, "vlc")
      #expect(try await rig.eventually { $0.sinkInput(song)?.isMuted == true })
      #expect(try await eventually { try await isStoredMuted() == false })
      await session.close()
      await client.close()
      await other.close()
    }
  }

  @Test("what somebody turns up meanwhile is left alone, and stays so", arguments: places)
  func turnedUp(_ place: Place) async throws {
    try await with(place) { rig in
      let (client, stream) = try await player(rig, "firefox")
      try await rig.session.setAudioMode(silence)
      #expect(try await rig.eventually { $0.sinkInput(stream)?.isMuted == true })
      try await rig.outside.setStreamMute(.output, stream.index, false)
      // The session has seen it when it says so; and it is as it was after something else is done.
      while try await rig.session.getSessionState().properties[.options]?.verdict != .overridden {
        try await Task.sleep(for: .milliseconds(5))
      }
      let (other, song) = try await player(rig, "vlc")
      #expect(try await rig.eventually { $0.sinkInput(song)?.isMuted == true })
      #expect(try await rig.outside.snapshot().sinkInput(stream)?.isMuted == false)
      try await set(volumes(0.3), of: song, rig)
      try await rig.session.revert()
      #expect(
        try await rig.eventually { after in
          after.sinkInput(song)?.isMuted == false
            && after.sinkInput(song)?.volume == volumes(0.3)
        })
      await client.close()
      await other.close()
    }
  }

  enum End: CaseIterable { case plain, afterFailure, inCancelledTask }

  @Test(
    "a session that ends gives back what it took, and keeps the rest",
    arguments: places, End.allCases)
  func closed(_ place: Place, _ end: End) async throws {
    try await with(place) { rig in
      let (client, stream) = try await player(rig, "firefox")
      var mode = silence
      mode.outputVolume = Volume(fraction: 0.7)
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.eventually { $0.sinkInput(stream)?.isMuted == true })
      if end == .afterFailure {
        mode.preferredOutput = ["nowhere"]
        await #expect(throws: SessionError.self) { try await rig.session.setAudioMode(mode) }
      }
      await Task {
        if end == .inCancelledTask { withUnsafeCurrentTask { $0?.cancel() } }
        await rig.session.close()
      }.value
      #expect(
        try await rig.eventually {
          $0.sinkInput(stream)?.isMuted == false
            && $0.device(.output, named: "speakers")?.volume == volumes(0.7)
        })
      await client.close()
    }
  }

  @Test(
    "a program that ends while it is silenced or ducked begins as before the next time",
    arguments: places, [CategoryOption.silenceOthers, .duckOthers])
  func remembered(_ place: Place, _ option: CategoryOption) async throws {
    try await with(place) { rig in
      let last = try await last(after: option, rig)
      // A memory that is being mended differs by a thousandth.
      #expect(abs((last.volume?.loudest.fraction ?? 0) - 0.5) < 0.003 && !last.isMuted, "\(last)")
    }
  }

  @Test(
    "where a person moves a program that is silenced or ducked, it plays the next time",
    arguments: [CategoryOption.silenceOthers, .duckOthers])
  func movedByPerson(_ option: CategoryOption) async throws {
    try await with(.desktop) { rig in
      _ = try await rig.outside.loadModule("module-null-sink", "sink_name=headset")
      let (first, song) = try await player(rig, "firefox")
      try await set(volumes(0.5), of: song, rig)
      try await rig.session.setAudioMode(AudioMode(category: .playback, options: [option]))
      #expect(try await rig.eventually { isTreated(song, $0) })
      try await rig.outside.moveStream(.output, song.index, to: "headset")
      let headset = try #require(try await rig.outside.sink(named: "headset"))
      #expect(try await rig.sessionSees { $0.sinkInput(song)?.device == headset.index })
      await first.close()
      #expect(try await rig.eventually { $0.sinkInput(song) == nil })
      try await rig.session.revert()
      let last = try await begin("firefox", rig)
      #expect(last.device == headset.index, "\(last)")
      #expect(abs((last.volume?.loudest.fraction ?? 0) - 0.5) < 0.003 && !last.isMuted, "\(last)")
    }
  }

  @Test(
    "a program that a person has turned further down begins as before, also after another apply",
    arguments: places)
  func turnedFurtherDown(_ place: Place) async throws {
    try await with(place) { rig in
      let duck = AudioMode(category: .playback, options: [.duckOthers])
      let (first, song) = try await player(rig, "firefox")
      try await set(volumes(0.5), of: song, rig)
      try await rig.session.setAudioMode(duck)
      #expect(try await rig.eventually { isTreated(song, $0) })
      let ducked = try #require(try await rig.outside.snapshot().sinkInput(song)?.volume?.loudest)
      try await set(volumes(0.05), of: song, rig)
      #expect(
        await eventually {
          (try? await rig.session.getSessionState().properties[.options]?.verdict) == .overridden
        })
      try await rig.session.setAudioMode(duck)
      #expect(
        try await rig.eventually {
          let now = $0.sinkInput(song)?.volume?.loudest.fraction ?? 0
          return abs(now - ducked.fraction) < 0.003
        })
      await first.close()
      #expect(try await rig.eventually { $0.sinkInput(song) == nil })
      try await rig.session.revert()
      let last = try await begin("firefox", rig)
      #expect(abs((last.volume?.loudest.fraction ?? 0) - 0.5) < 0.003, "\(last)")
    }
  }

  @Test(
    "a program that ends just as it is given back begins as before the next time",
    arguments: places, [CategoryOption.silenceOthers, .duckOthers])
  func endsWithTheSession(_ place: Place, _ option: CategoryOption) async throws {
    try await with(place) { rig in
      for number in 1...5 {
        let name = "player \(number)"
        let (client, song) = try await player(rig, name)
        try await set(volumes(0.5), of: song, rig)
        try await rig.session.setAudioMode(AudioMode(category: .playback, options: [option]))
        #expect(try await rig.eventually { isTreated(song, $0) })
        let reverting = Task { try await rig.session.revert() }
        while try await isTreated(song, rig.outside.snapshot()) {}
        await client.close()
        _ = try await reverting.value
        let last = try await begin(name, rig)
        let volume = last.volume?.loudest.fraction ?? 0
        #expect(abs(volume - 0.5) < 0.003 && !last.isMuted, "\(number): \(last)")
      }
    }
  }

  private func isTreated(_ stream: PulseStream, _ snapshot: ServerSnapshot) -> Bool {
    guard let stream = snapshot.sinkInput(stream) else { return false }
    return stream.isMuted || (stream.volume?.loudest ?? .norm) < Volume(fraction: 0.4)
  }

  /// What a program's stream begins with after a session that treated it, while which two of its ended.
  private func last(
    after option: CategoryOption, _ rig: Rig
  ) async throws -> PulseTypes.Stream {
    let (first, song) = try await player(rig, "firefox")
    try await set(volumes(0.5), of: song, rig)
    try await rig.session.setAudioMode(AudioMode(category: .playback, options: [option]))
    #expect(try await rig.eventually { isTreated(song, $0) })
    await first.close()
    #expect(try await rig.eventually { $0.sinkInput(song) == nil })
    // While the session is active the next one begins as before, and is treated from there.
    let (second, next) = try await player(rig, "firefox")
    #expect(try await rig.eventually { isTreated(next, $0) })
    await second.close()
    #expect(try await rig.eventually { $0.sinkInput(next) == nil })
    try await rig.session.revert()
    return try await begin("firefox", rig)
  }

  /// What a program's stream begins with.
  private func begin(_ name: String, _ rig: Rig) async throws -> PulseTypes.Stream {
    let (third, last) = try await player(rig, name)
    var seen: PulseTypes.Stream?
    // What is remembered comes a moment after a stream begins; one that the server does not know yet is
    // at 0.
    _ = try await rig.eventually { snapshot in
      seen = snapshot.sinkInput(last)
      let loudest = seen?.volume?.loudest
      return seen?.isMuted == false && loudest != nil && loudest != .norm && loudest != .muted
    }
    await third.close()
    return try #require(seen)
  }

  @Test(
    "what is restored of a stream that has just begun is undone, once, and is what comes back",
    arguments: [CategoryOption.silenceOthers, .duckOthers])
  func restoredLate(_ option: CategoryOption) async throws {
    try await with(.graph) { rig in
      let isDucking = option == .duckOthers
      let quiet = Volume(fraction: 0.5)
      try await rig.session.setAudioMode(AudioMode(category: .playback, options: [option]))
      /// As WirePlumber does on a busy machine; false where the stream was not new any more.
      func restore(_ stream: PulseStream, since: ContinuousClock.Instant) async throws -> Bool {
        if isDucking {
          try await rig.outside.setStreamVolume(.output, stream.index, volumes(0.5))
        } else {
          try await rig.outside.setStreamMute(.output, stream.index, false)
        }
        return ContinuousClock.now - since < .seconds(4)
      }
      func isTreated(_ stream: PulseStream, _ snapshot: ServerSnapshot) -> Bool {
        guard let stream = snapshot.sinkInput(stream) else { return false }
        return isDucking ? (stream.volume?.loudest ?? .norm) < quiet : stream.isMuted
      }
      func reapplies() async throws -> Int {
        try await rig.session.getSessionState().reapplies ?? 0
      }
      var isShown = false
      for number in 1...20 where !isShown {
        noteTry(number, of: 20)
        let before = try await reapplies()
        let start = ContinuousClock.now
        let (client, stream) = try await player(rig, "player \(number)")
        while try await reapplies() == before { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await rig.eventually { isTreated(stream, $0) })
        isShown = try await restore(stream, since: start)
        if isShown {
          while try await reapplies() == before + 1 { try await Task.sleep(for: .milliseconds(5)) }
          #expect(try await rig.eventually { isTreated(stream, $0) })
        }
        if isShown, isDucking {
          let volume = try await rig.outside.snapshot().sinkInput(stream)?.volume?.loudest
          #expect(abs((volume?.decibels ?? 0) - quiet.decibels + 20) < 0.01)
          try await rig.session.revert()
          #expect(try await rig.eventually { $0.sinkInput(stream)?.volume == volumes(0.5) })
        } else if isShown {
          _ = try await restore(stream, since: start)
          while try await rig.session.getSessionState().properties[.options]?.verdict
            != .overridden
          {
            try await Task.sleep(for: .milliseconds(5))
          }
          #expect(try await rig.outside.snapshot().sinkInput(stream)?.isMuted == false)
        }
        await client.close()
      }
      #expect(isShown)
    }
  }

  @Test("after a restart of the server others are silenced again, and given back")
  func restart() async throws {
    try await with(.graph) { rig in
      try await rig.session.setAudioMode(silence)
      try await rig.sandbox.kill()
      try await rig.sandbox.restart()
      let outside = try await Rig.client(of: rig.sandbox, "outside")
      let rig = Rig(sandbox: rig.sandbox, session: rig.session, outside: outside)
      let (client, stream) = try await player(rig, "firefox")
      #expect(try await rig.eventually { $0.sinkInput(stream)?.isMuted == true })
      try await rig.session.setActive(false)
      #expect(try await rig.eventually { $0.sinkInput(stream)?.isMuted == false })
      await client.close()
      await outside.close()
    }
  }
}
