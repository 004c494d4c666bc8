import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("The same on both servers", .bothServers, .timeLimit(.minutes(10)))
struct ServersTests {
  @Test("a rate is applied on an idle device", arguments: Feature.rate.machines)
  func rate(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(machine.usbInput)]
      mode.sampleRate = 48000
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.steps.map(\.outcome).contains(.applied))
      #expect(report.state.properties[.sampleRate]?.verdict == .applied)
      #expect(report.state.properties[.sampleRate]?.actual == .number(48000))
      #expect(try await rig.session.plan(for: mode).isEmpty)
    }
  }

  @Test(
    "a buffer is applied and held, and is not without a holder", arguments: [true, false],
    Feature.buffer.machines)
  func buffer(isHolding: Bool, on machine: Machine) async throws {
    try await Rig.with(machine.configuration, isHolding: isHolding) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(machine.usbInput)]
      mode.ioBufferDuration = .frames(512)
      let report = try await rig.session.setAudioMode(mode)
      let buffer = report.state.properties[.ioBufferDuration]
      #expect(buffer?.verdict == (isHolding ? .applied : .pending))
      #expect(buffer?.held == isHolding)
      #expect(buffer?.waitingFor == (isHolding ? nil : .holder))
      #expect(report.state.pins.map(\.kind) == (isHolding ? ["latency"] : []))
      #expect(try await rig.session.plan(for: mode).isEmpty)
    }
  }

  @Test("running streams are moved along, and back", arguments: Feature.moves.machines)
  func moves(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      let recorder = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "recorder", device: machine.laptopInput,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      func device(_ snapshot: ServerSnapshot) -> String? {
        let stream = snapshot.sourceOutputs.first { $0.index == recorder.index }
        return snapshot.device(.input, at: stream?.device)?.name
      }
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(machine.usbInput)]
      mode.moveInputStreams = true
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.eventually { device($0) == machine.usbInput })
      try await rig.session.revert()
      #expect(try await rig.eventually { device($0) == machine.laptopInput })
      #expect(await recorder.isOpen)
      await recorder.close()
    }
  }
}
