import Logging
import PulseTypes
import SessionCore

extension AudioSession {
  /// Applies the mode again where the server differs; writes nothing where it does not.
  ///
  /// A call of the owner stops this between two steps (`cancelled`): the call plans from the actual
  /// state anyway, and need not wait for a mode that it may replace.
  func reapply(_ live: LiveServer, _ occasion: Occasion) async throws(SessionError) {
    guard let own = life.mode else { return }
    let (store, start) = (store(live), upkeep.now)
    // What the plan is made from is noted first: a device that returned since the look began may flap.
    upkeep.noteAttachments(
      try await live.refresh(deadline: Deadline(after: configuration.timeout)))
    var input = try await input(own.mode, live, store, isExplicit: false)
    let known = input.baseline
    if occasion == .upkeep { await noteRestored(&input, live) }
    var look = Reapply(
      input, occasion, known: known, charges: life.held?.charges ?? Charges(), seen: upkeep.seen,
      conflicts: upkeep.conflicts, at: start, tracer: configuration.tracer)
    life.held?.charges = look.charges
    let stop = StopSignal()
    queue.upkeep = stop
    if queue.waiting > 0 { stop.set() }
    defer { queue.upkeep = nil }
    let driver = driver(live, store, Deadline(after: configuration.timeout), stop)
    let plan = try await driver.plan(&look.run)
    defer { upkeep.seen = look.run.seen }
    guard !plan.isEmpty else {
      await live.closeRatePins(besides: plan.claims)
      return try hold(look.end(), of: look, store)
    }
    emit(.drift(plan.steps.map(\.property).removingDuplicates()))
    do throws(SessionError) {
      try await driver.run(&look.run)
    } catch {
      // The previous values are on disk, and completed steps are not planned again.
      life.held?.baseline = look.run.stored
      if occasion == .upkeep { await noteConflicts(look.run.foreign, live) }
      throw error
    }
    let run = look.run
    await live.closeRatePins(besides: run.lastPlan.claims)
    learned = Learned(run)
    if occasion == .upkeep {
      upkeep.restores.note(run.attempted.filter { known[$0] == nil }, at: upkeep.now)
    }
    try hold(look.end(), of: look, store)
    upkeep.reapplies += 1
    for step in plan.steps {
      guard case .defaultDevice = step.setting, case .name(let name) = step.to else { continue }
      upkeep.restoredDefaults.insert(name)
    }
    emit(.reapplied(upkeep.now - start))
    if occasion == .upkeep { await noteConflicts(run.foreign, live) }
  }

  /// Remembers the result of a look, and stores the baseline if it is new.
  private func hold(
    _ result: (baseline: Baseline, isNew: Bool), of look: Reapply, _ store: SessionStore
  ) throws(SessionError) {
    if result.isNew { try store.write(result.baseline) }
    upkeep.refused.note(Set(look.run.input.refusals.keys), at: upkeep.now)
    // A hint that was not granted must not be requested again at the next look.
    life.held = Held(
      baseline: result.baseline, memory: look.run.input.memory, charges: look.charges,
      generation: life.held?.generation ?? store.generation())
  }

  /// Begins to hold without a mode: restores what is left of an earlier one. After a damaged mode
  /// nothing is restored, because its settings may still be meant to be in effect.
  func restoreStored(_ live: LiveServer, _ store: SessionStore) async throws(SessionError) {
    guard !store.hasLostMode else { return }
    life.noteUnrestored(try store.baseline())
    try await restoreReturned(live)
  }

  /// Restores the settings of an earlier mode on a device that was unplugged when the mode ended
  /// and has returned, while no mode is in effect.
  func restoreReturned(_ live: LiveServer) async throws(SessionError) {
    guard case .restoreReturned? = life.duty else { return }
    let (store, start) = (store(live), upkeep.now)
    var input = try await input(AudioMode(), live, store, isExplicit: false)
    let known = input.baseline
    input.baseline = upkeep.returns.unrestored(known, in: input.snapshot, at: start)
    let driver = driver(live, store, Deadline(after: configuration.timeout))
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
    life.noteUnrestored(baseline)
    if baseline != known { try store.write(baseline) }
  }

  /// Uses the values that the session manager restored for new streams as their previous values,
  /// except where they are what the session had set on the program's earlier stream.
  private func noteRestored(_ input: inout PlanInput, _ live: LiveServer) async {
    guard input.snapshot.has(.lateRestoring) else { return }
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
    guard !changes.isEmpty else { return }
    let snapshot = await live.snapshot
    for (setting, programs) in upkeep.conflicts.noteChanges(
      changes, at: upkeep.now, beside: snapshot.controllers)
    {
      let opponents = snapshot.opponents(of: setting, programs)
      configuration.logger?.debug("conflict", metadata: ["setting": "\(setting.object)"])
      let end = upkeep.conflicts.pauseEnd(of: setting).map { Moment.text(after: $0 - upkeep.now) }
      emit(.conflict(setting.title, opponents: opponents, until: end))
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
