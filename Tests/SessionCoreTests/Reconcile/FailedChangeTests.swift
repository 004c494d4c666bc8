import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// A change that fails: what it did is undone, and what cannot be undone is known.
@Suite struct FailedChangeTests {
  /// Runs a change until the server refuses a setting.
  private func fail(
    _ change: inout ModeChange, at setting: Setting, on server: inout Server,
    before: (inout Server) -> Void = { _ in }, after: (Step, inout Server) -> Void = { _, _ in }
  ) {
    #expect(throws: SessionError.self) {
      while true {
        switch try change.run.next(isStopped: false, isLate: false) {
        case .read: try change.run.didRead(server.snapshot)
        case .save: try change.run.didSave(.success(()))
        case .check: change.run.didCheck(server.snapshot)
        case .run(let step) where step.setting == setting:
          before(&server)
          try change.run.didFail(SessionError(.timedOut, stage: .server, "no answer"))
        case .run(let step):
          try server.run(step)
          change.run.didRun(.done(granted: nil), server.snapshot)
          after(step, &server)
        case .finish: return
        }
      }
    }
  }

  @Test func `a failed change names what could not be undone`() throws {
    var server = Server.machine {
      $0.addLaptop()
      $0.addUSB()
    }
    let mode = preferring {
      $0.preferredInput = [.name(Server.usb)]
      $0.inputGain = Volume(fraction: 0.3)
      $0.outputVolume = Volume(fraction: 0.3)
    }
    var change = ModeChange(
      PlanInput(mode: mode, snapshot: server.snapshot), to: .inEffect, wasInEffect: false)
    fail(
      &change, at: .volume(.output, device: Server.speakers), on: &server,
      before: {
        $0.unplug("alsa_card.usb")
      })
    let back = try #require(change.undoing(in: server.snapshot))
    var run = Run(server, back.input)
    run.run()
    let (away, blocked) = change.left(by: run.loop)
    #expect(away.contains(.volume(.input, device: Server.usb)), "\(away)")
    #expect(blocked == [])
  }

  @Test func `a failed change leaves the remap that both modes have`() throws {
    let server = Server.laptop()
    var mode = preferring { $0.channelMap = .swap }
    var first = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    first.run()
    mode.inputGain = Volume(fraction: 0.3)
    mode.outputVolume = Volume(fraction: 0.3)
    var input = PlanInput(mode: mode, snapshot: first.server.snapshot)
    input.baseline = first.stored
    var change = ModeChange(input, to: .inEffect, wasInEffect: true)
    var changed = first.server
    fail(&change, at: .volume(.output, device: Server.speakers), on: &changed)
    #expect(changed.snapshot.fingerprint != first.server.snapshot.fingerprint)
    var run = Run(changed, try #require(change.undoing(in: changed.snapshot)).input)
    run.run()
    #expect(run.server.snapshot.fingerprint == first.server.snapshot.fingerprint, "\(run.trace)")
  }

  @Test func `a failed change of mode rolls back to the remap of the mode before`() throws {
    let (server, _) = try RestoreTests.applied(preferring { $0.channelMap = .swap })
    let mode = preferring {
      $0.channelMap = .mono
      $0.sampleRate = 48000
      $0.inputMuted = true
    }
    for batches in 1...3 {
      var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
      run.run(batches: batches)
      var back = Run(run.server, PlanInput(mode: AudioMode(), snapshot: run.server.snapshot))
      back.input.baseline = run.journal
      back.input.baseline.serverCookie = 77
      back.run()
      #expect(back.failure == nil)
      #expect(back.server.snapshot.fingerprint == server.snapshot.fingerprint, "\(back.trace)")
    }
  }

  @Test func `a level that a failed run had set, and was about to restore, is restored`() throws {
    var server = Server.machine {
      $0.addLaptop()
      $0.addUSB()
    }
    server.unplug("alsa_card.usb")
    let mode = preferring {
      $0.preferredInput = [.name(Server.usb), .name(Server.microphone)]
      $0.inputGain = Volume(fraction: 0.3)
    }
    let level = Setting.volume(.input, device: Server.microphone)
    let before = server.snapshot.value(of: level)
    var change = ModeChange(
      PlanInput(mode: mode, snapshot: server.snapshot), to: .inEffect, wasInEffect: false)
    fail(
      &change, at: .volume(.input, device: Server.usb), on: &server,
      after: { step, server in
        // The preferred input is plugged in: the level of the other one has to be restored.
        if step.setting == level { server.plug("alsa_card.usb") }
      })
    #expect(server.snapshot.value(of: level) != before)
    var back = try #require(change.undoing(in: server.snapshot))
    let plan = try back.didRead(server.snapshot)
    #expect(plan.steps.contains { $0.setting == level && $0.to == before }, "\(plan.lines)")
  }

  @Test(arguments: [true, false], [true, false])
  func `a level is kept whose device returns while a failed run is undone, or just before`(
    isUndone: Bool, wasInEffect: Bool
  ) throws {
    var server = Server.machine(kind: .pipewire) { $0.addLaptop() }
    let mode = preferring { $0.inputGain = Volume(fraction: 0.3) }
    let level = Setting.volume(.input, device: Server.microphone)
    let before = try #require(server.snapshot.value(of: level))
    var baseline = Baseline()
    if wasInEffect {
      let former = ChannelVolumes(Volume(fraction: 0.6), channels: 2)
      try server.edit(.input, Server.microphone) { $0.volume = former }
      baseline.entries = [
        .init(setting: level, before: before, ours: .volume(former), in: server.snapshot)
      ]
      baseline.serverCookie = server.snapshot.server.cookie
    }
    /// The cards that are away while WirePlumber starts again.
    var away: [String] = []
    func perform(_ loop: inout Reconciler) throws {
      var isDone = false
      while true {
        switch try loop.next(isStopped: isDone && !loop.isRollback, isLate: false) {
        case .read:
          if !away.isEmpty { server.startManager(away) }
          try loop.didRead(server.snapshot)
        case .save: try loop.didSave(.success(()))
        case .check:
          if isUndone, loop.isRollback, away.isEmpty { away = server.endManager() }
          loop.didCheck(server.snapshot)
        case .run(let step):
          try server.run(step)
          loop.didRun(.done(granted: nil), server.snapshot)
          isDone = true
        case .finish: return
        }
      }
    }
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    input.baseline = baseline
    var change = ModeChange(input, to: .inEffect, wasInEffect: wasInEffect)
    #expect(throws: SessionError.self) { try perform(&change.run) }
    let set = try #require(server.snapshot.value(of: level))
    #expect(set != before)
    if !isUndone { server.startManager(server.endManager()) }
    var back = try #require(change.undoing(in: server.snapshot))
    try perform(&back)
    // WirePlumber restores what it remembers of the device a moment later: the mode's level.
    let left = change.undone(by: back)
    server.settleArrivals()
    #expect(server.snapshot.value(of: level) != before)
    let entry = left.entries.first { $0.setting == level }
    #expect(entry?.before == before && entry?.isOurs(set) == true, "\(left)")
  }
}
