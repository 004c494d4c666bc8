import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// A session's streams where it moves them, and after the mode that placed them.
extension OwnSessionTests {
  @Test("a capture that is moved to a device with other channels hears them")
  func otherChannels() async throws {
    let machine = SandboxConfiguration(modules: [
      "module-sine-source source_name=tone rate=48000 frequency=440",
      "module-remap-source source_name=laptop master=tone channels=2",
    ])
    try await Rig.with(machine) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      var mode = AudioMode(category: .record)
      mode.scope = .application
      mode.preferredInput = ["usb", "laptop"]
      mode.inputPort = ["*"]
      mode.polarPattern = .cardioid
      try await rig.session.setAudioMode(mode)
      let buffers = try await rig.capture.start(CaptureConfiguration(sampleRate: 48000))
      #expect(await Self.hears(440, in: buffers))
      _ = try await outside.loadModule(
        "module-sine-source", "source_name=usb rate=48000 frequency=880")
      #expect(await Self.hears(880, in: buffers))
      let report = try await rig.session.getSessionState().properties[.polarPattern]
      let hasRead = report?.readings.contains { $0.text == "mono" } == true
      #expect(report?.verdict == .applied && hasRead, "\(report as Any)")
      withExtendedLifetime(buffers) {}
      await outside.close()
    }
  }

  /// Whether a tone is heard within eight seconds of sound at 48 kHz.
  private static func hears(_ frequency: Double, in buffers: CaptureBuffers) async -> Bool {
    var (frames, samples): (Int, [Float]) = (0, [])
    for await buffer in buffers {
      frames += buffer.frameLength
      samples += buffer.samples
      guard samples.count >= 4800 else { continue }
      if amplitude(of: frequency, in: samples) > 0.01 { return true }
      samples = []
      if frames > 8 * 48000 { break }
    }
    return false
  }

  /// A stereo output and a mono one.
  private static let outputs = SandboxConfiguration(modules: [
    "module-null-sink sink_name=laptop rate=48000",
    "module-null-sink sink_name=usb rate=48000 channels=1 channel_map=mono",
  ])

  @Test("notes are heard on an output with other channels", arguments: [false, true])
  func otherOutput(isServers: Bool) async throws {
    try await Rig.with(Self.outputs) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      try await outside.setDefaultSink("laptop")
      var mode = AudioMode(category: .playback)
      mode.scope = .application
      mode.outputChannelMap = .swap
      if !isServers { mode.preferredOutput = ["laptop", "usb"] }
      try await rig.session.setAudioMode(mode)
      let synthesizer = Synthesizer(session: rig.session)
      try await synthesizer.start()
      let listener = try await Listener.on("usb.monitor", rig.sandbox)
      try await isServers
        ? outside.setDefaultSink("usb")
        : outside.unloadModule(
          #require(outside.snapshot().modules.first { $0.argument.contains("laptop") }).index)
      let isHeard = await eventually {
        _ = try? synthesizer.triggerNote(pitch: 69)
        return listener.channel(0).contains { abs($0) > 0.01 }
      }
      #expect(isHeard)
      await listener.close()
      await synthesizer.stop()
      await outside.close()
    }
  }

  /// Begins to play a file on `laptop`, with some of its channels.
  private func withFile(
    _ channels: ChannelSelection, seconds: Int,
    _ body: (Rig, PulseClient, AudioPlayer) async throws -> Void
  ) async throws {
    try await Rig.with(Self.outputs) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      try await outside.setDefaultSink("laptop")
      var mode = AudioMode(category: .playback)
      mode.scope = .application
      mode.outputChannelMap = channels
      try await rig.session.setAudioMode(mode)
      let folder = TemporaryFolder()
      let path = folder.path + "/tone.wav"
      try WaveFile(channels: 2, rate: 48000, frames: 48000 * seconds, loud: 0).write(to: path)
      let player = AudioPlayer(session: rig.session)
      try await player.start(path)
      try await body(rig, outside, player)
      await outside.close()
    }
  }

  @Test("a file that plays left and right exchanged is heard on an output that has neither")
  func fileOnMono() async throws {
    try await withFile(.swap, seconds: 25) { rig, outside, player in
      let listener = try await Listener.on("usb.monitor", rig.sandbox)
      try await outside.setDefaultSink("usb")
      #expect(await eventually { listener.channel(0).contains { abs($0) > 0.01 } })
      await player.stop()
      await listener.close()
    }
  }

  @Test("a file for one channel ends with an error on an output that has not that one")
  func leftOnMono() async throws {
    try await withFile(.left, seconds: 25) { _, outside, player in
      try await outside.setDefaultSink("usb")
      let error = await #expect(throws: StreamError.self) { try await player.finished() }
      #expect(error?.code == .deviceNotAvailable)
      #expect(error?.message == "'usb' does not have the channels that the file is played on")
    }
  }

  @Test("a file for one channel plays on where the output has that one, whatever the mode is now")
  func leftOnStereo() async throws {
    try await withFile(.left, seconds: 3) { rig, outside, player in
      _ = try await outside.loadModule("module-null-sink", "sink_name=hall rate=48000")
      var mode = AudioMode(category: .playback)
      mode.scope = .application
      mode.outputChannelMap = .right
      try await rig.session.setAudioMode(mode)
      try await outside.setDefaultSink("hall")
      #expect(try await player.finished() > .seconds(2))
    }
  }

  /// Whether notes are heard on `usb`, to which the server moves them while `laptop` takes no sound.
  private func isHeardAfterStandstill(
    _ synthesizer: Synthesizer, _ sandbox: PulseSandbox, _ outside: PulseClient
  ) async throws -> Bool {
    try await synthesizer.start()
    try await outside.suspend(.output, device: "laptop", true)
    #expect(await eventually { !synthesizer.isRunning })
    try await outside.setDefaultSink("usb")
    let listener = try await Listener.on("usb.monitor", sandbox)
    let isHeard = await eventually {
      _ = try? synthesizer.triggerNote(pitch: 69)
      return listener.channel(0).contains { abs($0) > 0.01 }
    }
    await listener.close()
    await synthesizer.stop()
    return isHeard
  }

  @Test("notes are heard on an output to which they are moved while the former takes no sound")
  func movedAtStandstill() async throws {
    try await Rig.with(Self.outputs) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      try await outside.setDefaultSink("laptop")
      var mode = AudioMode(category: .playback)
      mode.scope = .application
      mode.outputChannelMap = .left
      try await rig.session.setAudioMode(mode)
      let synthesizer = Synthesizer(session: rig.session)
      #expect(try await isHeardAfterStandstill(synthesizer, rig.sandbox, outside))
      await outside.close()
    }
  }

  /// What becomes of the mode that placed a capture on `two`.
  enum End: CaseIterable { case scope, preference, mode, role, device }

  @Test("a running capture leaves the place of a mode that has ended", arguments: End.allCases)
  func leaves(_ end: End) async throws {
    try await Rig.with(.sources) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      try await outside.setDefaultSource("one")
      var mode = AudioMode(category: .record)
      mode.scope = .application
      mode.preferredInput = ["two"]
      // Of devices with the same format the tap stays open.
      if end == .device { mode.sampleRate = 48000 }
      try await rig.session.setAudioMode(mode)
      let buffers = try await rig.capture.start()
      func stream() async throws -> (Stream?, device: String?) {
        let snapshot = try await outside.snapshot()
        let stream = snapshot.sourceOutputs.first { $0.name == "Audio capture" }
        return (stream, snapshot.device(.input, at: stream?.device)?.name)
      }
      let (first, device) = try await stream()
      #expect(device == "two" && first?.properties["audiosession.scope"] == "application")
      switch end {
      case .scope: try await rig.session.setAudioMode(AudioMode(category: .record))
      case .preference, .role, .device:
        mode.preferredInput = end == .preference ? nil : end == .device ? ["one"] : ["two"]
        if end == .role { mode.mode = .spokenAudio }
        try await rig.session.setAudioMode(mode)
      case .mode: try await rig.session.setActive(false)
      }
      let isMoved = try await eventually {
        let (now, device) = try await stream()
        guard let now, device == (end == .role ? "two" : "one") else { return false }
        let isOwn = now.properties["audiosession.scope"] == "application"
        return isOwn == ![.scope, .mode].contains(end)
          && now.properties["media.role"] == (end == .role ? "speech" : nil)
          && (now.index == first?.index) == (end == .device)
      }
      let last = try await stream()
      #expect(isMoved, "\(last)")
      withExtendedLifetime(buffers) {}
      await outside.close()
    }
  }

  @Test("a capture whose session is closed ends where it is")
  func closes() async throws {
    try await Rig.with(.sources) { rig in
      var mode = AudioMode(category: .record)
      mode.scope = .application
      mode.preferredInput = ["two"]
      try await rig.session.setAudioMode(mode)
      let buffers = try await rig.capture.start()
      let events = rig.capture.events
      await rig.session.close()
      for await _ in buffers {}
      var seen: [CaptureEvent] = []
      for await event in events {
        if case .status(.stopped, _) = event { break }
        seen.append(event)
      }
      #expect(seen.isEmpty, "\(seen)")
    }
  }
}
