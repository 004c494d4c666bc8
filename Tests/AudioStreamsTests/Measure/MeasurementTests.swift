import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("A device, measured", .server, .timeLimit(.minutes(10)))
struct MeasurementTests {
  static let sink = "module-null-sink sink_name=out rate=44100 channels=2"

  static func with(
    _ modules: [String], _ body: (PulseSandbox) async throws -> Void
  ) async throws {
    try await PulseSandbox.watched(SandboxConfiguration(modules: modules), body)
  }

  @Test("its rate is counted, and its buffer is what somebody else asked for")
  func measures() async throws {
    try await Self.with([Self.sink]) { sandbox in
      let other = try await DeviceTap(
        server: sandbox.address, device: "out.monitor", latency: .milliseconds(25)
      ) { _ in }
      let measured = try await DeviceMeasurement.run(
        server: sandbox.address, device: "out.monitor", hardware: nil, measuresBuffer: true,
        time: .seconds(2))
      await other.close()
      let rate = try #require(measured.rate)
      // A tenth of a percent is what verify allows; a busy machine shows in the uncertainty.
      #expect(abs(rate.rate - 44100) < max(44.1, 2 * rate.uncertainty))
      let buffer = try #require(measured.buffer)
      #expect(abs(buffer.seconds - 0.025) < 0.005)
      #expect(measured.claimedRate == 44100)
      #expect(measured.check.findings == [.silent])
      #expect(measured.order == nil)
    }
  }

  @Test("cycles that PipeWire replaced by zeros are lost frames, and a pause of the sound is none")
  func lostCycles() {
    let tone = ConverterTests.sine(440, rate: 48000, frames: 9600)
    func sound(_ changes: (inout [Float]) -> Void) -> RecordedSound {
      var samples = tone
      changes(&samples)
      return RecordedSound(
        [DeviceTap.Piece(arrival: 0, lost: 0, isContinued: false, samples: samples)], channels: 1)
    }
    let cut = sound { $0.replaceSubrange(4000..<4512, with: repeatElement(0, count: 512)) }
    #expect(cut.lostFrames(onPipeWire: true, sampleRate: 48000) == 512)
    #expect(cut.lostFrames(onPipeWire: false, sampleRate: 48000) == 0)
    let paused = sound { samples in for at in 4000..<4500 { samples[at] = 0 } }
    #expect(paused.lostFrames(onPipeWire: true, sampleRate: 48000) == 0)
  }

  @Test("one microphone behind two channels is found")
  func dualMono() async throws {
    try await Self.with([
      "module-sine-source source_name=one rate=44100 frequency=441",
      "module-remap-source source_name=two master=one channels=2"
        + " channel_map=front-left,front-right master_channel_map=mono,mono remix=no",
    ]) { sandbox in
      let measured = try await DeviceMeasurement.run(
        server: sandbox.address, device: "two", hardware: "one", measuresBuffer: false,
        time: .seconds(1))
      #expect(measured.check.findings == [.dualMono(0, 1)])
      #expect(measured.order == [[.channel(0)], [.channel(0)]])
    }
  }

  @Test("rate and buffer are those of the hardware behind a canceller, which has blocks of its own")
  func canceller() async throws {
    try await Self.with([
      Self.sink, "module-null-source source_name=mic rate=48000 channels=2",
      "module-echo-cancel source_name=quiet source_master=mic sink_name=played sink_master=out"
        + " aec_method=webrtc rate=32000",
    ]) { sandbox in
      let other = try await DeviceTap(
        server: sandbox.address, device: "mic", latency: .milliseconds(40)
      ) { _ in }
      let measured = try await DeviceMeasurement.run(
        server: sandbox.address, device: "quiet", hardware: "mic", measuresBuffer: true,
        time: .seconds(1))
      await other.close()
      let buffer = try #require(measured.buffer)
      #expect(abs(buffer.seconds - 0.04) < 0.01)
      #expect(measured.claimedRate == 48000)
      #expect(abs((measured.rate?.rate ?? 0) - 48000) < 1000)
    }
  }

  @Test("what is played on each channel is heard there, some milliseconds later")
  func loop() async throws {
    try await Self.with([Self.sink]) { sandbox in
      let loop = try await LoopMeasurement.run(
        server: sandbox.address, source: "out.monitor", outputs: 2, latency: .milliseconds(20))
      #expect(loop.heard == [0, 1])
      let latency = try #require(loop.latency)
      #expect(latency > .milliseconds(2) && latency < .milliseconds(200))
    }
  }

  @Test("what was lost once is taken from another measurement, and what was heard stays")
  func lostOnce() {
    var loop = LoopMeasurement(source: "mic", heard: [0, nil, nil], latencies: [.milliseconds(9)])
    loop.fill(
      from: LoopMeasurement(source: "mic", heard: [2, 1, nil], latencies: [.milliseconds(7)]))
    #expect(loop.heard == [0, 1, nil])
    #expect(loop.latencies == [.milliseconds(9), .milliseconds(7)])
  }

  @Test("channels that are exchanged on the way are heard so")
  func exchanged() async throws {
    try await Self.with([
      Self.sink,
      "module-remap-source source_name=turned master=out.monitor channels=2"
        + " channel_map=front-left,front-right master_channel_map=front-right,front-left remix=no",
    ]) { sandbox in
      let loop = try await LoopMeasurement.run(
        server: sandbox.address, source: "turned", outputs: 2, latency: .milliseconds(20))
      #expect(loop.heard == [1, 0])
    }
  }

  @Test("an echo that comes only after the next sweep is not taken for another channel's")
  func far() async throws {
    try await Self.with([
      Self.sink, "module-null-sink sink_name=far rate=44100 channels=2",
      "module-loopback source=out.monitor sink=far latency_msec=600",
    ]) { sandbox in
      let loop = try await LoopMeasurement.run(
        server: sandbox.address, source: "far.monitor", outputs: 2, latency: .milliseconds(20))
      #expect(loop.latency.map { $0 > .milliseconds(500) } ?? true, "\(loop)")
      #expect(zip(loop.heard, [0, 1]).allSatisfy { $0 == nil || $0 == $1 }, "\(loop)")
    }
  }

  @Test("a source that delivers no frame is no silent one")
  func noFrames() async throws {
    try await Self.with([Self.sink, "module-null-source source_name=mic"]) { sandbox in
      let outside = try await PulseClient.connect(to: sandbox.address, name: "outside")
      try await outside.suspend(.input, device: "mic", true)
      let error = await #expect(throws: StreamError.self) {
        try await DeviceMeasurement.run(
          server: sandbox.address, device: "mic", hardware: nil, measuresBuffer: false,
          time: .milliseconds(500))
      }
      #expect(error?.code == .deviceNotAvailable)
      await outside.close()
    }
  }

  @Test("a source that hears nothing of it")
  func deaf() async throws {
    try await Self.with([Self.sink, "module-null-source source_name=deaf"]) { sandbox in
      let loop = try await LoopMeasurement.run(
        server: sandbox.address, source: "deaf", outputs: 2, latency: .milliseconds(20))
      #expect(loop.heard == [nil, nil])
      #expect(loop.latency == nil)
    }
  }
}
