import Logging
import PulseTypes
import SessionCore

extension AudioSession {
  /// Applies the mode again where the server differs; writes nothing where it does not.
  ///
  /// A call of the owner stops this between two steps (`cancelled`): the call plans from the actual
  /// state anyway, and need not wait for a mode that it may replace.
  func reapply(_ live: LiveServer, _ occasion: Occasion) async throws(SessionError) {
    guard let own else { return }
    let (store, start) = (store(live), upkeep.now)
    var input = try await input(own.mode, live, store, isExplicit: false)
    input.occasion = occasion
    let known = input.baseline
    if occasion == .upkeep { await noteRestored(&input, live) }
    // A step that was refused may work now; settings in a conflict are left alone.
    input.refusals = [:]
    input.yielded = upkeep.conflicts.yielded(at: upkeep.now)
    held?.charges.follow(input.snapshot, at: start)
    // A restarted server has its own levels for every device.
    if occasion == .reset { held?.charges = Charges() }
    input.charges = held?.charges
    // Missing devices are awaited; everything else is maintained in the meantime.
    input.mode.onFailure = .bestEffort
    let stop = StopSignal()
    upkeepStop = stop
    if callers > 0 { stop.set() }
    defer { upkeepStop = nil }
    let driver = ReconcilerDriver(
      live, store, deadline: Deadline(after: configuration.timeout),
      configuration: configuration, stop: stop)
    var run = Reconciler(input, seen: upkeep.seen, tracer: configuration.tracer)
    let plan = try await driver.plan(&run)
    defer { upkeep.seen = run.seen }
    guard !plan.isEmpty else {
      held?.charges.take(run.charged, in: run.input.snapshot, arrival: start)
      held?.baseline = run.input.baseline
      if !run.input.baseline.isSameInStore(as: known) { try store.write(run.input.baseline) }
      return
    }
    emit(.drift(plan.steps.map(\.property).removingDuplicates()))
    do throws(SessionError) {
      try await driver.run(&run)
    } catch {
      // The previous values are on disk, and completed steps are not planned again.
      held?.baseline = run.stored
      if occasion == .upkeep { await noteConflicts(run.foreign, live) }
      throw error
    }
    refusals = run.input.refusals
    hasLateHints = !run.lateHints.isEmpty
    capabilities = run.input.capabilities
    if occasion == .upkeep {
      upkeep.restores.note(run.attempted.filter { known[$0] == nil }, at: upkeep.now)
    }
    var baseline = run.stored
    // Entries of an earlier mode are kept until they are restored, those of this one as long as it lasts.
    baseline.settle(in: run.input.snapshot, claims: nil)
    if !baseline.isSameInStore(as: known) { try store.write(baseline) }
    // A hint that was not granted must not be requested again at the next look.
    held = Held(
      baseline: baseline, memory: run.input.memory, stored: try storedMode(store),
      charges: held?.charges ?? Charges())
    held?.charges.take(run.charged, in: run.input.snapshot, arrival: start)
    upkeep.reapplies += 1
    upkeep.hasRestoredDefault = plan.steps.contains { step in
      if case .defaultDevice = step.setting { true } else { false }
    }
    emit(.reapplied(upkeep.now - start))
    if occasion == .upkeep { await noteConflicts(run.foreign, live) }
  }

  /// Begins to hold without a mode: restores what is left of an earlier one. After a damaged mode
  /// nothing is restored, because its settings may still be meant to be in effect.
  func restoreStored(_ live: LiveServer, _ store: SessionStore) async throws(SessionError) {
    guard !store.hasLostMode else { return }
    upkeep.hasUnrestored = !(try store.baseline()).entries.isEmpty
    try await restoreReturned(live)
  }

  /// Restores the settings of an earlier mode on a device that was unplugged when the mode ended
  /// and has returned, while no mode is in effect.
  func restoreReturned(_ live: LiveServer) async throws(SessionError) {
    guard isHolder, !isActive, upkeep.hasUnrestored else { return }
    let (store, start) = (store(live), upkeep.now)
    var input = try await input(AudioMode(), live, store, isExplicit: false)
    let known = input.baseline
    input.baseline = upkeep.returns.unrestored(known, in: input.snapshot, at: start)
    let driver = ReconcilerDriver(
      live, store, deadline: Deadline(after: configuration.timeout), configuration: configuration)
    var run = Reconciler(input, isRestoring: true, tracer: configuration.tracer)
    let plan = try await driver.plan(&run)
    if !plan.isEmpty {
      emit(.drift(plan.steps.map(\.property).removingDuplicates()))
      try await driver.run(&run)
      emit(.reapplied(upkeep.now - start))
    }
    // A value that is restored now may not last on PipeWire, so the stored entry stays until it
    // does.
    let left = upkeep.returns.unrestored(input.baseline, in: run.input.snapshot, at: start)
    var baseline = known
    baseline.entries.removeAll { !left.has($0) }
    upkeep.hasUnrestored = !baseline.entries.isEmpty
    held?.baseline = baseline
    if baseline != known { try store.write(baseline) }
  }

  /// Uses the values that the session manager restored for new streams as their previous values,
  /// except where they are what the session had set on the program's earlier stream.
  private func noteRestored(_ input: inout PlanInput, _ live: LiveServer) async {
    let restored = upkeep.restores.restored(
      in: input.snapshot, beside: input.baseline.valid(for: input.snapshot), at: upkeep.now)
    guard !restored.isEmpty else { return }
    input.restored = Set(restored.keys)
    for (setting, value) in restored {
      input.baseline.restate(setting, before: await live.restateMemory(of: setting, value))
    }
  }

  /// A setting that another program changes again and again is in a conflict: reports it and pauses.
  private func noteConflicts(_ changes: [Setting: Int], _ live: LiveServer) async {
    for (setting, count) in changes {
      var isConflict = false
      for _ in 0..<count where upkeep.conflicts.noteChange(of: setting, at: upkeep.now) {
        isConflict = true
      }
      guard isConflict else { continue }
      let opponents = await live.snapshot.opponents(of: setting)
      configuration.logger?.debug("conflict", metadata: ["setting": "\(setting.object)"])
      emit(.conflict("\(setting.propertyName) of \(setting.object)", opponents: opponents))
    }
  }
}

extension Array where Element: Hashable {
  /// The elements in their order, each once.
  fileprivate func removingDuplicates() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
