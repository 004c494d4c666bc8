import PulseTypes
import Testing

@testable import SessionCore

/// What happens to a server while a run changes it is not the run's doing.
@Suite struct RivalTests {
  private typealias Server = SimulatedServer

  /// Runs a loop to its end; `interfere` comes after each step, with the server already changed.
  private func finish(
    _ loop: inout Reconciler, on server: inout Server,
    interfere: (Step, inout Server) throws -> Void
  ) throws {
    while true {
      switch try loop.next(isStopped: false, isLate: false) {
      case .read: try loop.didRead(server.snapshot, grants: server.grants)
      case .save: try loop.didSave(.success(()))
      case .check: loop.didCheck(server.snapshot)
      case .run(let step):
        try server.run(step)
        try interfere(step, &server)
        loop.didRun(.done(granted: nil), server.snapshot)
      case .finish: return
      }
    }
  }

  private static let ofUSB: [Setting] = [
    .rate(.input, device: Server.usb), .volume(.input, device: Server.usb),
    .mute(.input, device: Server.usb),
  ]

  @Test("a device that is replaced while a step runs is asked again", arguments: ofUSB)
  func replaced(_ setting: Setting) throws {
    var server = Server.laptop()
    server.addUSB()
    let mode = preferring {
      $0.category = .record
      $0.preferredInput = [.name(Server.usb)]
      $0.sampleRate = 48000
      $0.inputGain = Volume(fraction: 0.3)
      $0.inputMuted = true
    }
    var loop = Reconciler(PlanInput(mode: mode, snapshot: server.snapshot))
    var count = 0
    try finish(&loop, on: &server) { step, server in
      guard step.setting == setting else { return }
      count += 1
      guard count == 1 else { return }
      server.unplug("alsa_card.usb")
      server.plug("alsa_card.usb")
      // It returns without the value of the step.
      try server.edit(.input, Server.usb) {
        $0.sampleSpec.rate = 44100
        $0.volume = ChannelVolumes(.norm, channels: 2)
        $0.isMuted = false
      }
    }
    #expect(count == 2)
    let device = try #require(server.snapshot.device(.input, named: Server.usb))
    #expect(device.sampleSpec.rate == 48000)
    #expect(device.isMuted && device.volume.loudest == Volume(fraction: 0.3))
    // No program has changed it.
    #expect(loop.foreign == [:])
    #expect(loop.report.filter { $0.step.setting == setting }.map(\.outcome) == [.applied])
  }

  private static let demand = preferring {
    $0.category = .record
    $0.preferredInput = [.name(Server.microphone)]
    $0.inputGain = Volume(fraction: 0.3)
  }

  @Test func `a level that changes after its device has come with a profile is not the session's`()
    throws
  {
    var server = Server.laptop("output:analog-stereo")
    server.recreatesKeptDevices = true
    server.snapshot.modules.append(Module(index: Index(900), name: "module-device-restore"))
    let mute = Setting.mute(.output, device: Server.speakers)
    var loop = Reconciler(PlanInput(mode: Self.demand, snapshot: server.snapshot))
    try finish(&loop, on: &server) { step, server in
      guard case .volume = step.setting else { return }
      try server.edit(.output, Server.speakers) { $0.isMuted = true }
    }
    #expect(loop.journal[mute]?.isConsequence == true)
    #expect(server.snapshot.value(of: mute) == .flag(true))
    var baseline = loop.stored
    baseline.settle(in: server.snapshot, claims: Set(loop.lastPlan.claims))
    let plan = try server.plan(AudioMode()) { $0.baseline = baseline }
    #expect(!plan.steps.contains { $0.setting == mute }, "\(plan.lines)")
  }

  @Test func `nor is one that changes after a run that was cut short`() throws {
    var server = Server.laptop("output:analog-stereo")
    server.recreatesKeptDevices = true
    let mute = Setting.mute(.output, device: Server.speakers)
    var first = Run(server, PlanInput(mode: Self.demand, snapshot: server.snapshot))
    first.run(batches: 1)
    server = first.server
    #expect(server.snapshot.card(named: "alsa_card.pci")?.activeProfile == Server.duplex)
    var input = PlanInput(mode: Self.demand, snapshot: server.snapshot)
    input.baseline = first.loop.stored
    #expect(input.baseline[mute] != nil && input.baseline[mute]?.ours == nil)
    var loop = Reconciler(input)
    try finish(&loop, on: &server) { _, server in
      try server.edit(.output, Server.speakers) { $0.isMuted = true }
    }
    var baseline = loop.stored
    baseline.settle(in: server.snapshot, claims: Set(loop.lastPlan.claims))
    let plan = try server.plan(AudioMode()) { $0.baseline = baseline }
    #expect(!plan.steps.contains { $0.setting == mute }, "\(plan.lines)")
  }
}
