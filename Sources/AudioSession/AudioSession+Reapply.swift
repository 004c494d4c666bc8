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
    input.wish.onFailure = .bestEffort
    let stop = StopSignal()
    mending = stop
    if callers > 0 { stop.set() }
    defer { mending = nil }
    let driver = ReconcilerDriver(
      live, store, deadline: Deadline(after: configuration.timeout),
      configuration: configuration, stop: stop)
    var run = Reconciler(input, tracer: configuration.tracer)
    let plan = try await driver.plan(&run)
    guard !plan.isEmpty else {
      held?.charges.take(run.charged, in: run.input.snapshot, arrival: start)
      guard run.input.baseline != known else { return }
      try store.write(run.input.baseline)
      held?.baseline = run.input.baseline
      return
    }
    emit(.drift(plan.steps.map(\.property).removingDuplicates()))
    do throws(SessionError) {
      try await driver.run(&run)
    } catch {
      // The previous values are on disk, and completed steps are not planned again.
      held?.baseline = run.stored
      if occasion == .upkeep, error.code != .cancelled { await noteConflicts(run.attempted, live) }
      throw error
    }
    refusals = run.input.refusals
    capabilities = run.input.capabilities
    if occasion == .upkeep {
      upkeep.restores.note(run.attempted.filter { known[$0] == nil }, at: upkeep.now)
    }
    var baseline = run.stored
    baseline.settle(in: run.input.snapshot)
    if baseline != known { try store.write(baseline) }
    // A hint that was not granted must not be requested again at the next look.
    held = Held(
      baseline: baseline, memory: run.input.memory, wish: try wish(store),
      charges: held?.charges ?? Charges())
    held?.charges.take(run.charged, in: run.input.snapshot, arrival: start)
    upkeep.reapplies += 1
    emit(.reapplied(upkeep.now - start))
    if occasion == .upkeep { await noteConflicts(run.attempted, live) }
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

  /// A setting that needs to be set again and again is in a conflict: reports it and pauses.
  private func noteConflicts(_ settings: Set<Setting>, _ live: LiveServer) async {
    for setting in settings where upkeep.conflicts.noteReassertion(of: setting, at: upkeep.now) {
      let opponents = await live.snapshot.likelyOpponents
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
