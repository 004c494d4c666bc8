import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// A server that changes between a plan and its steps.
@Suite("Outdated plans", .bothServers, .timeLimit(.minutes(10)))
struct OutdatedPlanTests {
  private static let step = Step(
    phase: .preferredDevices, property: .preferredInput, setting: .defaultDevice(.input),
    from: .name(Names.usbInput), to: .name(Names.laptopInput), why: "test")

  private static func planner(of rig: Rig) async throws -> LiveServer {
    try await LiveServer.connect(
      to: rig.sandbox.address, name: "planner", loop: PulseLoop(),
      deadline: Deadline(after: .seconds(10)), logger: nil)
  }

  private static func choosePort(_ port: String, _ rig: Rig) async throws {
    try await rig.outside.setPort(.input, device: Names.laptopInput, port: port)
    #expect(
      try await rig.eventually {
        $0.device(.input, named: Names.laptopInput)?.activePort == port
      })
  }

  /// A server passes over a device whose port is not available, so the default would be waited for
  /// until the time limit.
  @Test(
    "a default is not waited for after another port came into use",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func port(_ kind: ServerKind) async throws {
    try await Rig.with(.demo(on: kind)) { rig in
      try await Self.choosePort("analog-input-internal-mic", rig)
      try await rig.outside.setDefaultSource(Names.usbInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
      let live = try await Self.planner(of: rig)
      // The session has not read it yet.
      try await Self.choosePort("analog-input-headset-mic", rig)
      let deadline = Deadline(after: .seconds(60))
      let answer = try await live.run(Self.step, deadline: deadline)
      guard case .outdated = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(deadline.remaining > .seconds(60) - Rig.standstill)
      await live.close()
    }
  }

  @Test(
    "a device that was unplugged since is no error of its step",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func unplugged(_ kind: ServerKind) async throws {
    try await Rig.with(.demo(on: kind)) { rig in
      let live = try await Self.planner(of: rig)
      // The session has not read it yet.
      try await rig.sandbox.unplug(Names.usbInput)
      let step = Step(
        phase: .levels, property: .inputGain,
        setting: .volume(.input, device: Names.usbInput), from: nil,
        to: .volume(ChannelVolumes(Volume(fraction: 0.3), channels: 2)), why: "test")
      let answer = try await live.run(step, deadline: Deadline(after: .seconds(20)))
      guard case .outdated = answer else {
        Issue.record("\(answer)")
        return
      }
      await live.close()
    }
  }

  /// PulseAudio accepts such a default, and reports no change: nobody else had a part in it.
  @Test("a default that PulseAudio passes over is nobody's change")
  func passedOver() async throws {
    try await Rig.with(.demo(on: .pulseaudio)) { rig in
      try await Self.choosePort("analog-input-headset-mic", rig)
      try await rig.outside.setDefaultSource(Names.usbInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
      let live = try await Self.planner(of: rig)
      let error = await #expect(throws: SessionError.self) {
        let answer = try await live.run(Self.step, deadline: Deadline(after: .seconds(20)))
        Issue.record("\(answer)")
      }
      #expect(error?.code == .refused && error?.message.contains("accepted") == true)
      await live.close()
    }
  }
}
