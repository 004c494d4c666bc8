import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// A jack of which the hardware cannot tell whether something is in it: its port counts as available, and no
/// server chooses it by itself.
@Suite("A jack without detection", .bothServers, .timeLimit(.minutes(10)))
struct JackTests {
  private static let jack = "analog-input-headset-mic"

  private static var mode: AudioMode {
    var mode = AudioMode(category: .record)
    mode.preferredInput = [.name(Names.laptopInput)]
    mode.inputPort = [.name(jack)]
    return mode
  }

  private func port(_ snapshot: ServerSnapshot) -> String? {
    snapshot.device(.input, named: Names.laptopInput)?.activePort
  }

  private func availability(_ snapshot: ServerSnapshot) -> PortAvailability? {
    let ports = snapshot.device(.input, named: Names.laptopInput)?.ports ?? []
    return ports.first { $0.name == Self.jack }?.availability
  }

  /// Has the card say something else of the jack, and waits until the session sees it.
  private func say(_ message: String, _ rig: Rig, shown: PortAvailability) async throws {
    try await rig.act(on: Names.laptop, message, Self.jack)
    let isShown = try await rig.sessionSees { availability($0) == shown }
    #expect(isShown)
  }

  private func expectInUse(_ report: PropertyReport?, _ rig: Rig) async throws {
    #expect(report?.verdict == .applied, "\(report as Any)")
    #expect(report?.actual == .string(Self.jack))
    let seen = try await rig.snapshot { port($0) == Self.jack }
    #expect(port(seen) == Self.jack)
    #expect(availability(seen) == .unknown)
  }

  @Test("its port is used", arguments: Feature.cards.machines)
  func used(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await say("unknown", rig, shown: .unknown)
      try await rig.sandbox.settleCards()
      let before = try await rig.outside.snapshot()
      #expect(port(before) != Self.jack)
      let report = try await rig.session.setAudioMode(Self.mode)
      #expect(report.unmet.isEmpty, "\(report.unmet)")
      try await expectInUse(report.state.properties[.inputPort], rig)
    }
  }

  @Test(
    "known to be empty, it is awaited by a holder and refused to a caller; then it is used again",
    arguments: Feature.cards.machines)
  func emptied(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await say("unknown", rig, shown: .unknown)
      try await rig.sandbox.settleCards()
      try await rig.session.setAudioMode(Self.mode)
      try await say("unplug", rig, shown: .no)
      let emptied = try await rig.state { $0.properties[.inputPort]?.verdict == .pending }
      let report = emptied.properties[.inputPort]
      #expect(report?.verdict == .pending && report?.waitingFor == .device, "\(report as Any)")
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(Self.mode)
      }
      #expect(error?.code == .portNotAvailable && error?.stage == .device, "\(error as Any)")
      #expect(error?.description.contains("\(Self.jack) (not plugged in)") == true)
      try await say("unknown", rig, shown: .unknown)
      let again = try await rig.state { $0.properties[.inputPort]?.verdict == .applied }
      try await expectInUse(again.properties[.inputPort], rig)
    }
  }
}
