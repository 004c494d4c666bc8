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
      let buffers = try await rig.capture.startAudioStream(CaptureConfiguration(sampleRate: 48000))
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

  @Test("notes are heard on an output with other channels", arguments: [false, true])
  func otherOutput(isServers: Bool) async throws {
    let machine = SandboxConfiguration(modules: [
      "module-null-sink sink_name=laptop rate=48000",
      "module-null-sink sink_name=usb rate=48000 channels=1 channel_map=mono",
    ])
    try await Rig.with(machine) { rig in
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
}
