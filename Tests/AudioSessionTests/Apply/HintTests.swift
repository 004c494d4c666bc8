import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("Hints: sample rate and IO buffer duration", .timeLimit(.minutes(10)))
struct HintTests {
  private func recorder(
    _ rig: Rig, on device: String, rate: UInt32 = 44100, flags: StreamFlags = []
  ) async throws -> PulseStream {
    try await rig.outside.openStream(
      StreamOptions(
        direction: .input, name: "recorder", device: device,
        // A meter asks for 25 peaks a second.
        spec: flags.contains(.peakDetect)
          ? SampleSpec(format: .float32le, rate: 25, channels: 1)
          : SampleSpec(format: .s16le, rate: rate, channels: 2), latency: .milliseconds(200),
        startCorked: false, flags: flags))
  }

  @Test("a 10 ms pin serves a recorder that asks for 200 ms, until the session ends", .server)
  func pin() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode(category: .record)
      mode.ioBufferDuration = .milliseconds(10)
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.pins.map(\.kind) == ["latency"])
      let stream = try await recorder(rig, on: "mic")
      #expect(try await rig.outside.source(named: "mic")?.configuredLatency == .milliseconds(10))
      let state = try await rig.session.getSessionState()
      #expect(state.properties[.ioBufferDuration]?.actual == .number(0.01))
      #expect(state.properties[.ioBufferDuration]?.held == true)
      try await rig.session.setActive(false)
      #expect(try await rig.outside.source(named: "mic")?.configuredLatency == .milliseconds(200))
      await stream.close()
    }
  }

  @Test("a smaller buffer that another stream asked for is overridden, and named", .server)
  func overridden() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode(category: .record)
      mode.ioBufferDuration = .milliseconds(50)
      try await rig.session.setAudioMode(mode)
      let stream = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "meter", device: "mic",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), latency: .milliseconds(5)))
      let report = try await rig.session.getSessionState().properties[.ioBufferDuration]
      #expect(report?.verdict == .overridden)
      #expect(report?.reason?.contains("outside") == true)
      #expect(try await rig.session.plan(for: mode).isEmpty)
      await stream.close()
    }
  }

  @Test("a null sink loaded at 44100 Hz switches, and stays", .server)
  func rateSwitches() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode(category: .playback)
      mode.sampleRate = 48000
      mode.ioBufferDuration = .frames(256)
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties[.sampleRate]?.actual == .number(48000))
      #expect(report.state.properties[.sampleRate]?.verdict == .applied)
      #expect(report.state.properties[.ioBufferDuration]?.verdict == .applied)
      #expect(try await rig.outside.sink(named: "speakers")?.sampleSpec.rate == 48000)
    }
  }

  @Test("a device with one rate is unreachable with the reason; strict, an error", .server)
  func rateFixed() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode(category: .record)
      mode.sampleRate = 48000
      let report = try await rig.session.setAudioMode(mode)
      let rate = report.state.properties[.sampleRate]
      #expect(rate?.verdict == .unreachable)
      #expect(rate?.reason?.contains("module-null-source") == true)
      mode.strict = [.sampleRate]
      await #expect { try await rig.session.setAudioMode(mode) } throws: { error in
        (error as? SessionError)?.code == .hintNotGranted
          && (error as? SessionError)?.stage == .device
      }
    }
  }

  @Test("a rate that the server does not grant is tried once, then unreachable", .simulatedCard)
  func rateTriedOnce() async throws {
    try await Rig.with { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput)]
      mode.sampleRate = 96000
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.steps.map(\.outcome) == [.notGranted("48000 Hz")])
      #expect(report.state.properties[.sampleRate]?.verdict == .unreachable)
      #expect(try await rig.session.plan(for: mode).isEmpty)
    }
  }

  @Test(
    "a rate that a running stream blocks, a level meter, too, is pending, naming the program",
    .simulatedCard, arguments: [StreamFlags(), .peakDetect])
  func rateBlocked(flags: StreamFlags) async throws {
    try await Rig.with { rig in
      let stream = try await recorder(rig, on: Names.usbInput, flags: flags)
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput)]
      mode.sampleRate = 48000
      let report = try await rig.session.setAudioMode(mode)
      let rate = report.state.properties[.sampleRate]
      #expect(rate?.verdict == .pending)
      #expect(rate?.waitingFor == .idle)
      #expect(rate?.reason?.contains("until outside stops") == true)
      await stream.close()
      // The session holds its mode: the rate is set as soon as the device is free.
      #expect(
        try await rig.eventually {
          $0.device(.input, named: Names.usbInput)?.sampleSpec.rate == 48000
        })
    }
  }

  @Test(
    "the pin of a rate goes when another device is in use, also where nothing is restored", .server)
  func pinFollowsDevice() async throws {
    try await Rig.with(.minimal) { rig in
      func player(_ rate: UInt32) async throws -> PulseStream {
        try await rig.outside.openStream(
          StreamOptions(
            direction: .output, name: "player", device: "speakers",
            spec: SampleSpec(format: .s16le, rate: rate, channels: 2), startCorked: false))
      }
      func pins(_ snapshot: ServerSnapshot) -> [String?] {
        snapshot.sinkInputs.filter { $0.name.hasSuffix("rate pin") }.map { stream in
          snapshot.sinks.first { $0.index == stream.device }?.name
        }
      }
      // The rate from before the session is that of the mode.
      await (try await player(48000)).close()
      var mode = AudioMode(category: .playback)
      mode.preferredOutput = [.name("late"), .name("speakers")]
      mode.sampleRate = 48000
      #expect(
        try await rig.session.setAudioMode(mode).steps.allSatisfy {
          $0.step.property != .sampleRate
        })
      await (try await player(44100)).close()
      #expect(try await rig.eventually { pins($0) == ["speakers"] })
      _ = try await rig.outside.loadModule("module-null-sink", "sink_name=late")
      #expect(try await rig.eventually { pins($0) == ["late"] })
    }
  }
}
