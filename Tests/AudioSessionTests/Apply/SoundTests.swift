import AudioSession
import PulseSandbox
import TestSupport
import Testing

/// The simulated microphone has 440 Hz on its left channel and 880 Hz on its right one.
@Suite("What is heard through the session's default source", .timeLimit(.minutes(10)))
struct SoundTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var channels = 2
    var change: @Sendable (inout AudioMode) -> Void
    var heard: [Set<Int>]
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "no map", change: { _ in }, heard: [[440], [880]]),
    Case(name: "swap", change: { $0.channelMap = .swap }, heard: [[880], [440]]),
    Case(
      name: "landscape-right", change: { $0.inputOrientation = .landscapeRight },
      heard: [[880], [440]]),
    Case(
      name: "swap and landscape-right",
      change: {
        $0.channelMap = .swap
        $0.inputOrientation = .landscapeRight
      }, heard: [[440], [880]]),
    Case(name: "left", channels: 1, change: { $0.channelMap = .left }, heard: [[440]]),
    Case(name: "right", channels: 1, change: { $0.channelMap = .right }, heard: [[880]]),
    Case(
      name: "omnidirectional", channels: 1, change: { $0.polarPattern = .omnidirectional },
      heard: [[440, 880]]),
    Case(name: "mono", channels: 1, change: { $0.channelMap = .mono }, heard: [[440, 880]]),
    Case(name: "stereo", change: { $0.polarPattern = .stereo }, heard: [[440], [880]]),
    Case(
      name: "cardioid", channels: 1, change: { $0.polarPattern = .cardioid }, heard: [[440]]),
  ]

  @Test("the channel map", .bothServers, arguments: cases, Feature.sound.machines)
  func channelMap(_ example: Case, on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput)]
      mode.inputPort = ["*"]
      example.change(&mode)
      try await rig.session.setAudioMode(mode)
      var heard: [Set<Int>] = []
      // PipeWire connects one channel of a stream after the other, and all of them while it runs.
      let tries = machine.isGraph ? 5 : 1
      for number in 1...tries where heard != example.heard {
        noteTry(number, of: tries)
        let sound = try await rig.record(channels: example.channels)
        heard = (0..<example.channels).map { sound.tones(in: $0) }
      }
      #expect(heard == example.heard)
    }
  }

  @Test(
    "four channels turned by a quarter", .bothServers, arguments: Feature.channels.machines)
  func quad(on machine: Machine) async throws {
    try await Rig.with(machine.with(cards: ["kind=usb-mic channels=4"])) { rig in
      var mode = AudioMode(category: .record)
      mode.inputOrientation = .portrait
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties[.inputOrientation]?.verdict == .applied)
      // FL FR RL RR are 440, 880, 1320 and 1760 Hz; turned, front left is what was rear left.
      #expect(
        report.state.route.inputs.first?.channelMap
          == [.rearLeft, .frontLeft, .rearRight, .frontRight])
    }
  }

  @Test(
    "a mono input asked for stereo is an error that says so", .bothServers,
    arguments: Feature.channels.machines)
  func mono(on machine: Machine) async throws {
    try await Rig.with(machine.with(cards: ["kind=usb-mic channels=1"])) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.default]
      mode.inputPort = ["*"]
      mode.polarPattern = .stereo
      await #expect { try await rig.session.setAudioMode(mode) } throws: { error in
        let error = error as? SessionError
        return error?.code == .polarPatternNotSupported && error?.message.contains("mono") == true
      }
    }
  }
}
