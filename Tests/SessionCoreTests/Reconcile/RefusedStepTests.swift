import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Steps that a server refuses, or shows late.
@Suite struct RefusedStepTests {
  @Test func `best effort lists what fails and does the rest`() throws {
    let mode = preferring {
      $0.onFailure = .bestEffort
      $0.category = .record
      $0.preferredInput = ["alsa_input.nothing"]
      $0.inputGain = .norm
      $0.outputVolume = Volume(fraction: 0.5)
      $0.outputChannelMap = .positions([.rearLeft, .rearRight])
      $0.outputMuted = true
    }
    let plan = try RestoreTests.laptop().plan(mode)
    #expect(plan.steps.map(\.property) == [.outputVolume, .outputMuted])
    #expect(
      plan.unmet.map(\.property) == [
        .outputChannelMap, .category, .preferredInput, .inputGain,
      ])
    var strict = mode
    strict.onFailure = nil
    #expect(try RestoreTests.laptop().failure(strict)?.code == .inputNotAvailable)
  }

  @Test func `what the server refuses is not asked again, and the rest is done`() throws {
    var server = Server.laptop(jacks: ["analog-input-linein": .yes])
    let port = Setting.port(.input, device: Server.microphone)
    server.refuses = [port]
    let mode = preferring {
      $0.onFailure = .bestEffort
      $0.inputPort = [.type(.lineIn)]
      $0.inputMuted = true
      $0.outputMuted = true
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil)
    #expect(run.plans.count == 3)
    #expect(run.plans.last?.unmetLines == ["inputPort refused: Access denied"])
    #expect(run.server.snapshot.device(.input, named: Server.microphone)?.isMuted == true)
    let report = run.server.reports(mode) { $0.refusals = run.input.refusals }[.inputPort]
    #expect(report?.verdict == .refused)
    #expect(report?.reason == "Access denied")
  }

  @Test func `the next device is used where a card refuses its profile`() throws {
    var server = Server.machine {
      $0.addLaptop("off")
      $0.addUSB()
    }
    server.refuses = [.cardProfile(card: "alsa_card.pci")]
    let mode = preferring {
      $0.onFailure = .bestEffort
      $0.preferredInput = [.name(Server.microphone), .name(Server.usb)]
      $0.inputMuted = true
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    #expect(run.server.snapshot.server.defaultSourceName == Server.usb, "\(run.trace)")
    #expect(run.server.snapshot.device(.input, named: Server.usb)?.isMuted == true)
  }

  @Test func `a refused profile leaves the device pending`() throws {
    var server = Server.laptop("off")
    server.refuses = [.cardProfile(card: "alsa_card.pci")]
    let mode = preferring {
      $0.onFailure = .bestEffort
      $0.category = .record
      $0.preferredInput = [.name(Server.microphone)]
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    #expect(
      run.plans.last?.unmet.contains { $0.property == .category && $0.verdict == .refused } == true
    )
    let reports = run.server.reports(mode) { $0.refusals = run.input.refusals }
    #expect(reports[.preferredInput]?.verdict == .pending)
    #expect(reports[.preferredInput]?.waitingFor == .profile)
  }

  /// PipeWire may show a value only after the step, and another one before.
  @Test(arguments: [false, true])
  func `a step is applied when a later reading shows its value`(_ isOutdated: Bool) throws {
    var server = try RestoreTests.laptop()
    let setting = Setting.volume(.input, device: Server.microphone)
    let mode = preferring { $0.inputGain = Volume(fraction: 0.3) }
    var loop = Reconciler(PlanInput(mode: mode, snapshot: server.snapshot))
    var isDone = false
    while !isDone {
      switch try loop.next(isStopped: false, isLate: false) {
      case .read: try loop.didRead(server.snapshot)
      case .save: try loop.didSave(.success(()))
      case .check: loop.didCheck(server.snapshot)
      case .run(let step):
        let before = server.snapshot
        try server.run(step)
        let isShown = step.setting != setting
        loop.didRun(
          isShown || !isOutdated ? .done(granted: nil) : .outdated,
          isShown ? server.snapshot : before)
      case .finish: isDone = true
      }
    }
    let result = try #require(loop.report.first { $0.step.setting == setting })
    #expect(result.outcome == .applied && result.reading?.text == "30 %", "\(loop.report)")
    #expect(loop.report.count { $0.step.setting == setting } == 1)
  }
}
