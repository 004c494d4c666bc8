import PulseTypes
import SessionCore

extension AudioSession {
  /// Runs the reconcile loop and stores the result; on failure runs it again to roll back.
  func reconcile(
    _ input: PlanInput, _ live: LiveServer, _ store: SessionStore, _ budget: Budget,
    _ stop: StopSignal, declared: OwnMode?, isActive: Bool, forgets: Bool = false
  ) async throws(SessionError) -> ApplyReport {
    let wasInEffect = ((try? self.storedMode(store)) ?? nil)?.isActive == true
    let generation = store.generation().addingSaturating(1)
    let formerlyHeld = life.beginChange()
    var change = ModeChange(
      input, to: isActive ? .inEffect : .ended(forgets: forgets), wasInEffect: wasInEffect,
      onDisk: formerlyHeld?.stored, tracer: configuration.tracer)
    let driver = driver(live, store, budget.run, stop)
    // Otherwise the route need not wait for it.
    if input.isExplicit, isActive, input.mode.strict?.contains(.bufferDuration) == true {
      await live.awaitUnseenCycles(deadline: budget.run)
    }
    do throws(SessionError) {
      try await driver.run(&change.run)
      return try await finish(
        change, live, store, budget, declared, isActive: isActive, generation: generation,
        forgets: forgets)
    } catch {
      // The status may be that of the failed mode: a look writes the former one's.
      if broadcast.shown.written == nil { noteChange() }
      guard let back = change.undoing(in: await live.snapshot) else {
        // The journal is on disk, but nothing of it was done.
        goOnHolding(formerlyHeld, change, change.before, store, change.run)
        throw error
      }
      throw await rollBack(back, change, formerlyHeld, live, store, budget, error)
    }
  }

  /// After a failed change the former mode stays in effect.
  ///
  /// - Parameters:
  ///   - baseline: the previous values now.
  ///   - run: the last run that stored any.
  ///   - left: the settings that the change set and that could not be restored.
  private func goOnHolding(
    _ former: Held?, _ change: ModeChange, _ baseline: Baseline, _ store: SessionStore,
    _ run: Reconciler, besides left: Set<Setting> = []
  ) {
    let isStored = (try? store.write(baseline)) != nil
    life.failChange(
      former, baseline, stored: isStored ? nil : run.onDisk, besides: left,
      wasInEffect: change.wasInEffect)
  }

  private func rollBack(
    _ run: Reconciler, _ change: ModeChange, _ formerlyHeld: Held?, _ live: LiveServer,
    _ store: SessionStore, _ budget: Budget, _ cause: SessionError
  ) async -> SessionError {
    var (result, run) = (cause, run)
    let revert = Words.command("audiosession revert", on: address)
    do throws(SessionError) {
      try await driver(live, store, budget.rollback).run(&run)
      let (away, blocked) = change.left(by: run)
      let left = away.union(blocked)
      // What is away is not set to anything now.
      result.restored = blocked.isEmpty
      result.message +=
        "; the former settings are restored"
        + (left.isEmpty
          ? ""
          : ", except the \(Words.list(left.map(\.title).sorted())), which cannot be restored now: that "
            + "is done when it is possible, or by '\(revert)' then")
      goOnHolding(formerlyHeld, change, change.undone(by: run), store, run, besides: left)
      // A restored rate may have needed one, and without a mode no look closes it.
      if !life.isActive { await live.closeRatePins(besides: []) }
    } catch {
      // The store keeps the previous values: the next apply or revert continues from there.
      result.restored = false
      result.message +=
        "; the former settings could not be restored (\(error.message)): "
        + "run '\(revert)' when the server answers"
      life.failChange(
        formerlyHeld, change.run.stored, stored: run.onDisk, besides: change.run.attempted,
        wasInEffect: change.wasInEffect)
    }
    return result
  }

  /// Reads the server back, and stores the result. Writes the mode last, so that a store that fails
  /// earlier keeps the former one.
  private func finish(
    _ change: ModeChange, _ live: LiveServer, _ store: SessionStore, _ budget: Budget,
    _ declared: OwnMode?, isActive: Bool, generation: Int, forgets: Bool
  ) async throws(SessionError) -> ApplyReport {
    let stored = declared.map {
      StoredMode(mode: $0.mode, profile: $0.profile, generation: generation, isActive: isActive)
    }
    let (run, baseline) = (change.run, change.outcome)
    let isKept = configuration.isHolding && isActive
    let isGivenBack = !isKept && !(configuration.isHolding && configuration.holdsWithoutMode)
    if isKept {
      await live.closeRatePins(besides: run.lastPlan.claims)
      try await live.tendPins(for: stored?.mode, deadline: budget.readBack)
    } else {
      try await live.releasePins(deadline: budget.readBack)
    }
    // Pins may have ended, and there is no event for a latency.
    try await live.reread(deadline: budget.readBack)
    await live.tendMemories()
    if !isActive {
      await live.forgetPlaces()
      upkeep.portOverride = .none
    }
    if !baseline.entries.contains(where: { $0.setting.isOfOthers }) {
      // No process would correct the settings of new streams from now on.
      await live.memoryKeeper.settle(deadline: budget.readBack)
      await live.forgetEnded()
    }
    var input = run.input
    input.baseline = baseline
    // The defaults from before this run no longer matter; those from before the first apply are in
    // the baseline.
    input.defaultsBefore = [:]
    var state = await state(live, store, input, stored)
    if isGivenBack { state.holder = nil }
    // What was granted ends with the mode: the next one asks again.
    let status = SessionStore.Status(
      generation: generation, memory: isActive ? run.input.memory : HintMemory(),
      learned: Learned(run), state: state)
    var isStored = true
    var lost: String?
    if isActive {
      broadcast.shown.written = nil
      try store.write(status)
      try store.commit(stored, baseline)
      upkeep.isStoredOfOther = false
    } else {
      // The restored state stays, even if the store cannot be written.
      try? store.write(status)
      let problems = store.commitWhatCanBe(stored, baseline)
      isStored = problems.isEmpty
      state.notes += problems
      lost = store.endLostBaseline()
    }
    upkeep.rules.end(
      change, declared, isInEffect: isActive, baseline, isStored: isStored, &life,
      generation: generation, at: upkeep.now)
    learned = Learned(run)
    if !isStored { upkeep.failLook() }
    // What has changed since the last reading came before there was a mode to maintain.
    if await live.isOutdated { upkeep.noteChange() }
    schedule()
    upkeep.noteAttachments(await live.snapshot)
    beginDefaultsCheck(run.input.snapshot)
    if isGivenBack { await giveLockBack() }
    if isActive { emit(.applied) }
    await publish(state, isOurs: true)
    let left = forgets ? change.forgotten : (run.firstPlan?.left ?? []) + change.refused
    return ApplyReport(
      steps: run.report, state: state, unmet: run.lastPlan.unmet,
      left: [lost].compactMap(\.self) + left,
      isUnrecorded: !isStored, lost: lost, forgotten: forgets ? left : nil)
  }
}
