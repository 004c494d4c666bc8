import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// A server that changes between a plan and its steps.
@Suite("Outdated plans", .bothServers, .timeLimit(.minutes(1)))
struct OutdatedPlanTests {
  /// A server passes over a device whose port is not available, so the default would be waited for
  /// until the time limit.
  @Test(
    "a default is not waited for after another port came into use",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func port(_ kind: ServerKind) async throws {
    try await Rig.with(.demo(on: kind)) { rig in
      try await rig.outside.setPort(
        .input, device: Names.laptopInput, port: "analog-input-internal-mic")
      try await rig.outside.setDefaultSource(Names.usbInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
      let live = try await LiveServer.connect(
        to: rig.sandbox.address, name: "planner", loop: PulseLoop(),
        deadline: Deadline(after: .seconds(10)), logger: nil)
      try await rig.outside.setPort(
        .input, device: Names.laptopInput, port: "analog-input-headset-mic")
      #expect(
        try await rig.eventually {
          $0.device(.input, named: Names.laptopInput)?.activePort == "analog-input-headset-mic"
        })
      // The session has not read it yet.
      let step = Step(
        phase: .preferredDevices, property: .preferredInput, setting: .defaultDevice(.input),
        from: .name(Names.usbInput), to: .name(Names.laptopInput), why: "test")
      let deadline = Deadline(after: .seconds(20))
      let answer = try await live.run(step, deadline: deadline)
      guard case .outdated = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(deadline.remaining > .seconds(15))
      await live.close()
    }
  }
}
