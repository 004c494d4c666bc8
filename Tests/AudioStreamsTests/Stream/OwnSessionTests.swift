import AudioSession
import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// Streams of a session of one program: they go to its devices and take its format.
@Suite("Streams of a program's own session", .server, .timeLimit(.minutes(10)))
struct OwnSessionTests {
  /// Two tones: 440 Hz on the left, 880 Hz on the right of `tones`; `other` is the default.
  private static let machine = SandboxConfiguration(modules: [
    "module-null-sink sink_name=other rate=44100",
    "module-null-sink sink_name=tones rate=44100",
    "module-null-sink sink_name=speakers rate=44100",
    "module-sine-source source_name=sine",
    "module-remap-sink sink_name=left master=tones channels=1 channel_map=mono "
      + "master_channel_map=front-left remix=no",
    "module-remap-sink sink_name=right master=tones channels=1 channel_map=mono "
      + "master_channel_map=front-right remix=no",
    "module-sine sink=left frequency=440",
    "module-sine sink=right frequency=880",
  ])

  private static func ownMode() -> AudioMode {
    var mode = AudioMode(category: .playAndRecord, mode: .moviePlayback)
    mode.scope = .application
    mode.preferredInput = ["tones.monitor"]
    mode.preferredOutput = ["speakers"]
    mode.channelMap = .swap
    mode.sampleRate = 48000
    mode.ioBufferDuration = .milliseconds(10)
    return mode
  }

  @Test("a capture is on its input, at its rate, with its channels")
  func capture() async throws {
    try await Rig.with(Self.machine) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let before = try await outside.serverInfo()
      let state = try await rig.session.setAudioMode(Self.ownMode()).state
      #expect(state.properties[.mode]?.waitingFor == .stream)
      #expect(state.properties[.channelMap]?.waitingFor == .stream)
      let buffers = try await rig.capture.start(
        CaptureConfiguration(sampleRate: 48000, channels: .device))
      #expect(await rig.capture.tapFormat?.sampleRate == 48000)
      #expect(await rig.capture.tapFormat?.channels == 2)
      let sound = await rig.collect(buffers, frames: 2048 * 24)
      sound.expectTrueTime()
      let samples = sound.samples.suffix(4800 * 2).map { $0 }
      let channels = (0..<2).map { channel in
        stride(from: channel, to: samples.count, by: 2).map { samples[$0] }
      }
      for (channel, frequencies) in [(0, (880.0, 440.0)), (1, (440.0, 880.0))] {
        let heard = Self.amplitude(of: frequencies.0, in: channels[channel])
        let other = Self.amplitude(of: frequencies.1, in: channels[channel])
        #expect(heard > 0.01 && heard > 10 * other, "\(channel): \(heard), \(other)")
      }
      let seen = try await outside.snapshot()
      let stream = try #require(seen.sourceOutputs.first { $0.name == "Audio capture" })
      #expect(seen.device(.input, at: stream.device)?.name == "tones.monitor")
      #expect(stream.channelMap.positions == [.frontRight, .frontLeft])
      #expect(seen.server.defaultSourceName == before.defaultSourceName)
      let during = try await rig.session.getSessionState()
      for property in [Property.channelMap, .mode] {
        #expect(during.properties[property]?.verdict == .applied, "\(during.properties)")
      }
      await rig.capture.stop()
      await rig.session.close()
      // A stream has a connection of its own: its end may reach the server after the next question.
      #expect(
        try await eventually {
          try await outside.snapshot().sourceOutputs.allSatisfy { $0.ownerModule != nil }
        })
      await outside.close()
    }
  }

  /// Of a tone in samples of 48 kHz; both tones have whole periods in a tenth of a second.
  static func amplitude(of frequency: Double, in samples: [Float]) -> Double {
    let part = samples.prefix(4800)
    var (s, c) = (0.0, 0.0)
    for (at, sample) in part.enumerated() {
      let phase = 2 * Double.pi * frequency * Double(at) / 48000
      s += Double(sample) * sin(phase)
      c += Double(sample) * cos(phase)
    }
    return 2 * (s * s + c * c).squareRoot() / Double(part.count)
  }

  @Test("a synthesizer is on its output, with the mode's role")
  func plays() async throws {
    try await Rig.with(Self.machine) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      try await rig.session.setAudioMode(Self.ownMode())
      let synthesizer = Synthesizer(session: rig.session)
      try await synthesizer.start()
      let seen = try await outside.snapshot()
      let stream = try #require(seen.sinkInputs.first { $0.name == "Synthesizer" })
      #expect(seen.device(.output, at: stream.device)?.name == "speakers")
      #expect(stream.properties["media.role"] == "video")
      #expect(synthesizer.resets == 0)
      let report = try await rig.session.getSessionState().properties[.mode]
      #expect(report?.verdict == .applied && report?.readings.map(\.text) == ["video"])
      await synthesizer.stop()
      await outside.close()
    }
  }

  @Test("a file with more channels than the session's map is mixed by their positions")
  func surround() async throws {
    try await Rig.with(Self.machine) { rig in
      var mode = AudioMode(category: .playback)
      mode.scope = .application
      mode.preferredOutput = ["speakers"]
      mode.outputChannelMap = .swap
      try await rig.session.setAudioMode(mode)
      let folder = TemporaryFolder()
      let path = folder.path + "/surround.wav"
      let listener = try await Listener.on("speakers.monitor", rig.sandbox)
      // Front left, which is on the right; the centre, on both; the subwoofer, on none; rear right.
      for (channel, heard) in [
        (0, [false, true]), (2, [true, true]), (3, [false, false]), (5, [true, false]),
      ] {
        try WaveFile(channels: 6, rate: 44100, frames: 13230, loud: channel).write(to: path)
        listener.forget()
        try await AudioPlayer(session: rig.session).play(path)
        await listener.seconds(0.5)
        let loud = (0..<2).map { side in listener.channel(side).contains { abs($0) > 0.05 } }
        #expect(loud == heard, "channel \(channel)")
      }
      await listener.close()
    }
  }

  @Test("a capture of a named device stays there, whatever the session prefers")
  func named() async throws {
    try await Rig.with(Self.machine) { rig in
      try await rig.session.setAudioMode(Self.ownMode())
      let buffers = try await rig.capture.start(CaptureConfiguration(device: "sine"))
      let state = try await rig.session.getSessionState()
      // The preference is for streams that name no device, and there is none.
      let report = try #require(state.properties[.preferredInput])
      #expect(report.verdict == .pending && report.waitingFor == .stream)
      let stream = try await rig.session.snapshot().sourceOutputs.first {
        $0.name == "Audio capture"
      }
      let device = try await rig.session.snapshot().device(.input, at: stream?.device)
      #expect(device?.name == "sine")
      withExtendedLifetime(buffers) {}
    }
  }
}
