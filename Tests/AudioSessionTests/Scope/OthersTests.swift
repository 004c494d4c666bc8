import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioSession

@Suite("What a session does to other programs", .timeLimit(.minutes(10)))
struct OthersTests {
  /// A program of its own, which plays without end, or says what it would.
  private func play(
    _ rig: Rig, role: String? = nil
  ) async throws -> (PulseClient, PulseStream) {
    let client = try await PulseClient.connect(
      to: rig.sandbox.address, name: "player", properties: ["application.process.id": "1"])
    let stream = try await client.openStream(
      StreamOptions(
        direction: .output, name: "song", device: nil,
        spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false,
        properties: role.map { ["media.role": $0] } ?? [:]))
    return (client, stream)
  }

  enum Place: CaseIterable {
    /// PulseAudio with the cork module that a desktop has.
    case desktop
    /// PulseAudio that somebody has lower streams by itself.
    case ducking
    /// PipeWire.
    case graph

    var configuration: SandboxConfiguration {
      var modules = SandboxConfiguration.minimal.modules + ["module-role-cork"]
      switch self {
      case .graph: return .minimal(on: .pipewire)
      case .ducking: modules.append("module-role-ducking trigger_roles=nobody")
      case .desktop: break
      }
      return SandboxConfiguration(modules: modules)
    }
  }

  private static let options: [CategoryOption: ClosedRange<Double>] = [
    .silenceOthers: 0.0...0.01, .duckOthers: 0.05...0.2,
  ]

  @Test(
    "others are silent, or heard at a tenth, and as before afterwards", .bothServers,
    arguments: Array(options.keys), Place.allCases)
  func treated(_ option: CategoryOption, _ place: Place) async throws {
    let range = try #require(Self.options[option])
    try await Rig.with(place.configuration) { rig in
      let before = try await rig.fullLoudness()
      let modules = try await rig.outside.snapshot().modules.map(\.name)
      let mode = AudioMode(category: .playback, options: [option])
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties[.options]?.verdict == .applied)
      #expect(report.state.pins.isEmpty)
      // The player of each measurement begins when the session is active already.
      let treated = try await rig.loudness(beside: before, expecting: range)
      #expect(range.contains(treated))
      let call = try await rig.loudness(
        role: "phone", beside: before, expecting: Rig.untreated)
      #expect(Rig.untreated.contains(call))
      try await rig.session.setActive(false, options: .notifyOthersOnDeactivation)
      let after = try await rig.loudness(beside: before, expecting: Rig.untreated)
      #expect(Rig.untreated.contains(after), "\(rig.players)")
      #expect(try await rig.outside.snapshot().modules.map(\.name) == modules)
    }
  }

  /// PulseAudio 16.1 with module-role-ducking ended at the first move.
  @Test(
    "a stream that is silenced is moved, and stays silent", .bothServers,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func moved(_ kind: ServerKind) async throws {
    try await Rig.with(.nullDevices(on: kind)) { rig in
      let (client, song) = try await play(rig)
      try await rig.session.setAudioMode(
        AudioMode(category: .playback, options: [.silenceOthers]))
      func isSilentOn(_ sink: String, _ snapshot: ServerSnapshot) -> Bool {
        let stream = snapshot.sinkInput(song)
        return stream?.isMuted == true
          && snapshot.device(.output, at: stream?.device)?.name == sink
      }
      for sink in ["speakers", "headphones", "speakers"] {
        try await rig.outside.moveStream(.output, song.index, to: sink)
        #expect(try await rig.eventually { isSilentOn(sink, $0) }, "\(sink)")
      }
      await client.close()
    }
  }

  @Test("what another program changes at the end of the first apply is restored", .server)
  func changedAtTheEnd() async throws {
    try await Rig.with(SandboxConfiguration(modules: Self.storing)) { rig in
      let (client, song) = try await play(rig)
      let armed = Shared<Tripwire?>(nil)
      let number = Shared(0)
      let pactl = "pactl -s \(rig.sandbox.address)"
      // The session makes nothing of this before the request is made.
      let wire = Tripwire(counting: { $0 == "stream_restore_read" }) {
        number.value += 1
        let change =
          number.value == 1
          // Behind the step, so that the values are stored once more at the end.
          ? "set-sink-input-volume \(song.index.rawValue) 50%" : "set-default-sink headphones"
        #expect(system("\(pactl) \(change)") == 0)
        if number.value == 1 { armed.value?.arm(1) }
      }
      armed.value = wire
      defer { armed.value = nil }
      let session = Rig.session(rig.sandbox, logger: wire.logger)
      wire.arm(1)
      var mode = AudioMode(category: .playback, options: [.silenceOthers])
      mode.preferredOutput = [.name("speakers")]
      try await session.setAudioMode(mode)
      #expect(number.value == 2)
      #expect(try await rig.eventually { $0.server.defaultSinkName == "speakers" })
      await session.close()
      await client.close()
    }
  }

  /// Two outputs, and what stores the values of streams.
  private static let storing = [
    "module-null-sink sink_name=speakers", "module-null-sink sink_name=headphones",
    "module-stream-restore",
  ]

  @Test(
    "speech alone is interrupted, and others are left alone where nothing asks", .bothServers,
    arguments: [Place.desktop, .graph])
  func speech(_ place: Place) async throws {
    try await Rig.with(place.configuration) { rig in
      let before = try await rig.fullLoudness()
      let (silent, low) = (0.0...0.01, 0.05...0.2)
      func expectHeard(
        _ role: String?, _ range: ClosedRange<Double>, line: Int = #line
      ) async throws {
        let ratio = try await rig.loudness(role: role, beside: before, expecting: range)
        #expect(range.contains(ratio), "line \(line): \(rig.players)")
      }
      let mixing = AudioMode(category: .playback, options: [.mixWithOthers])
      let mixed = try await rig.session.setAudioMode(mixing).state
      #expect(mixed.properties[.options]?.verdict == .applied && mixed.pins.isEmpty)
      try await expectHeard(nil, Rig.untreated)
      let mode = AudioMode(category: .playback, options: [.interruptSpokenAudio])
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties[.options]?.verdict == .applied)
      try await expectHeard("speech", silent)
      try await expectHeard("music", Rig.untreated)
      // With ducking beside it, as a navigation announces: the one silent, the other low.
      let both = AudioMode(category: .playback, options: [.interruptSpokenAudio, .duckOthers])
      let state = try await rig.session.setAudioMode(both).state
      #expect(state.properties[.options]?.verdict == .applied, "\(state.properties)")
      try await expectHeard("speech", silent)
      try await expectHeard("music", low)
      // Who silences others silences speech.
      try await rig.session.setAudioMode(
        AudioMode(category: .playback, options: [.silenceOthers]))
      try await expectHeard("speech", silent)
      try await rig.session.setActive(false)
      try await expectHeard("speech", Rig.untreated)
    }
  }

  @Test(
    "default-to-speaker plays on the speaker, and on headphones once plugged in", .bothServers,
    arguments: Feature.speaker.machines)
  func defaultToSpeaker(_ machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      let (speaker, headphones) = ("analog-output-speaker", "analog-output-headphones")
      try await rig.act(on: Names.laptop, "unplug", headphones)
      var mode = AudioMode(category: .playAndRecord, options: [.defaultToSpeaker])
      mode.preferredInput = [.name(Names.usbInput)]
      mode.preferredOutput = [.name(Names.laptopOutput)]
      let state = try await rig.session.setAudioMode(mode).state
      #expect(state.properties[.options]?.verdict == .applied)
      #expect(state.route.outputs.first?.port == speaker)
      try await rig.act(on: Names.laptop, "plug", headphones)
      #expect(
        try await rig.eventually {
          $0.device(.output, named: Names.laptopOutput)?.activePort == headphones
        })
      try await rig.act(on: Names.laptop, "unplug", headphones)
      #expect(
        try await rig.eventually {
          $0.device(.output, named: Names.laptopOutput)?.activePort == speaker
        })
      // Somebody's own choice of another port is taken back, as for any mode.
      try await rig.outside.setPort(.output, device: Names.laptopOutput, port: headphones)
      #expect(
        try await rig.eventually {
          $0.device(.output, named: Names.laptopOutput)?.activePort == speaker
        })
    }
  }

  /// Asks until it is so; the test's time limit ends it.
  private func until(_ condition: () async throws -> Bool) async throws {
    var pauses = Pauses()
    while try await !condition() { try await pauses.pass() }
  }

  @Test(
    "whether others play, and what", .bothServers, .timeLimit(.minutes(10)),
    arguments: [Place.desktop, .graph])
  func hints(_ place: Place) async throws {
    try await Rig.with(place.configuration) { rig in
      #expect(try await rig.session.isOtherAudioPlaying == false)
      let (plain, sound) = try await play(rig)
      // On PipeWire a stream runs a moment after it is there.
      try await until { try await rig.session.isOtherAudioPlaying }
      #expect(try await rig.session.secondaryAudioShouldBeSilencedHint == false)
      let (music, song) = try await play(rig, role: "music")
      try await until { try await rig.session.secondaryAudioShouldBeSilencedHint }
      // Whom the session itself silences plays on.
      try await rig.session.setAudioMode(
        AudioMode(category: .playback, options: [.silenceOthers]))
      #expect(try await rig.session.secondaryAudioShouldBeSilencedHint)
      try await rig.session.setActive(false)
      await song.close()
      await music.close()
      try await sound.cork(true)
      // The server may still be about to hear that the song has ended.
      try await until { try await !rig.session.isOtherAudioPlaying }
      await plain.close()
    }
  }

  @Test(
    "the speaker, until something is plugged in", .bothServers,
    arguments: Feature.speaker.machines)
  func override(_ machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      let (speaker, headphones) = ("analog-output-speaker", "analog-output-headphones")
      // What the server itself makes of it would end an override.
      try await rig.plug(headphones)
      var mode = AudioMode(category: .playAndRecord)
      mode.preferredInput = [.name(Names.usbInput), .name(Names.laptopInput)]
      mode.outputPort = [.name(headphones), .name(speaker)]
      mode.inputMuted = false
      mode.inputGain = Volume(fraction: 0.5)
      try await rig.session.setAudioMode(mode)
      // PipeWire tells other clients a moment later.
      func isOn(_ port: String) async throws -> Bool {
        try await rig.eventually {
          $0.device(.output, named: Names.laptopOutput)?.activePort == port
        }
      }
      #expect(try await isOn(headphones))
      let theirs = ChannelVolumes(Volume(fraction: 0.2), channels: 2)
      try await rig.setInputVolume(theirs, of: Names.usbInput)
      try await rig.setInputMute(true, of: Names.usbInput)
      // PipeWire tells the session at another time than other clients.
      #expect(
        try await rig.sessionSees {
          let input = $0.device(.input, named: Names.usbInput)
          return input?.isMuted == true && input?.volume == theirs
        })
      let report = try await rig.session.overrideOutputPort(.speaker)
      #expect(try await isOn(speaker))
      let input = try await rig.outside.source(named: Names.usbInput)
      #expect(input?.isMuted == true && input?.volume == theirs)
      #expect(report.state.properties[.outputPort]?.preferred == .strings(["type:speaker"]))
      // The microphone goes: the route is another, and the mode alone counts.
      try await rig.act(on: Names.usbCard, "unplug", "analog-input-mic")
      #expect(
        try await rig.eventually {
          $0.device(.output, named: Names.laptopOutput)?.activePort == headphones
        })
      try await rig.session.overrideOutputPort(.speaker)
      // A mode that cannot be leaves all as it was.
      mode.preferredOutput = ["nowhere"]
      await #expect(throws: SessionError.self) { try await rig.session.setAudioMode(mode) }
      #expect(
        try await rig.session.getSessionState().properties[.outputPort]?.preferred
          == .strings(["type:speaker"]))
      try await rig.session.overrideOutputPort(.none)
      #expect(try await isOn(headphones))
      // It does not outlive its category.
      mode.preferredOutput = nil
      try await rig.session.setAudioMode(mode)
      try await rig.session.overrideOutputPort(.speaker)
      #expect(try await isOn(speaker))
      try await rig.session.update { $0.category = .playback }
      #expect(try await isOn(headphones))
      let back = try await rig.session.update { $0.category = .playAndRecord }
      #expect(back.state.properties[.outputPort]?.preferred == .strings([headphones, speaker]))
      // It ends with the mode, and puts none in effect that has ended.
      mode.preferredOutput = [.name(Names.laptopOutput)]
      try await rig.session.setAudioMode(mode)
      try await rig.session.overrideOutputPort(.speaker)
      #expect(try await isOn(speaker))
      try await rig.session.setActive(false)
      for port in [PortOverride.none, .speaker] {
        await #expect(throws: SessionError.self) { try await rig.session.overrideOutputPort(port) }
      }
      #expect(try await !rig.session.getSessionState().active)
      try await rig.session.setActive(true)
      #expect(try await isOn(headphones))
      try await rig.session.setAudioMode(AudioMode(category: .playback))
      await #expect(throws: SessionError.self) {
        try await rig.session.overrideOutputPort(.speaker)
      }
    }
  }

  @Test(
    "an output without ports has no speaker to select", .bothServers,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func noPorts(_ kind: ServerKind) async throws {
    try await Rig.with(.nullDevices(on: kind)) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .playAndRecord))
      await #expect {
        try await rig.session.overrideOutputPort(.speaker)
      } throws: {
        ($0 as? SessionError)?.code == .portNotAvailable
      }
      let port = try await rig.session.getSessionState().properties[.outputPort]
      #expect(port?.preferred == nil)
    }
  }

  @Test(
    "a session that goes without a close gives others back", .bothServers,
    arguments: [Place.desktop, .graph])
  func forgotten(_ place: Place) async throws {
    try await Rig.with(place.configuration) { rig in
      let (player, song) = try await play(rig)
      var session: AudioSession? = Rig.session(rig.sandbox)
      try await session?.setAudioMode(AudioMode(category: .playback, options: [.silenceOthers]))
      #expect(try await rig.eventually { $0.sinkInput(song)?.isMuted == true })
      await Rig.release(&session)
      // The lock, too: the next one need not ask for it.
      let report = try await rig.session.setAudioMode(AudioMode(category: .playback))
      #expect(report.state.active)
      #expect(await rig.session.isHolder)
      #expect(try await rig.eventually { $0.sinkInput(song)?.isMuted == false })
      await player.close()
    }
  }

  @Test(
    "options do not outlive their category", .bothServers, arguments: [Place.desktop, .graph])
  func notSticky(_ place: Place) async throws {
    try await Rig.with(place.configuration) { rig in
      let (player, song) = try await play(rig)
      try await rig.session.setAudioMode(
        AudioMode(category: .playback, options: [.silenceOthers]))
      #expect(try await rig.eventually { $0.sinkInput(song)?.isMuted == true })
      let report = try await rig.session.update { $0.category = .ambient }
      #expect(report.state.properties[.options]?.verdict == .unset)
      let snapshot = try await rig.snapshot { $0.sinkInput(song)?.isMuted == false }
      #expect(try #require(snapshot.sinkInput(song)).isMuted == false)
      await player.close()
    }
  }
}

extension ServerSnapshot {
  /// A playback stream of this test.
  func sinkInput(_ stream: PulseStream) -> PulseTypes.Stream? {
    sinkInputs.first { $0.index == stream.index }
  }
}
