import Pulse
import PulseTypes
import SessionCore

extension AudioSession {
  /// Runs the one loop, and writes what it came to; on failure runs it again, back to what was.
  func reconcile(
    _ input: PlanInput, _ live: LiveServer, _ store: SessionStore, _ budget: Budget,
    _ stop: StopSignal, wish: OwnWish?, isActive: Bool
  ) async throws(SessionError) -> ApplyReport {
    let before = input.baseline
    let generation = store.generation().addingSaturating(1)
    let formerlyHeld = held
    held = nil
    let driver = ReconcilerDriver(
      live, store, deadline: budget.run, configuration: configuration, stop: stop)
    var run = Reconciler(
      input, isRestoring: !isActive, tracer: configuration.tracer)
    do throws(SessionError) {
      try await driver.run(&run)
      let report = try await finish(
        run, live, store, budget,
        wish.map {
          SessionStore.Wish(
            mode: $0.mode, profile: $0.profile, generation: generation, isActive: isActive)
        }, generation: generation)
      own = wish
      return report
    } catch {
      guard run.hasWritten else {
        // The journal is on disk, and nothing of it came true.
        try? store.write(before)
        goOnHolding(formerlyHeld, store)
        throw error
      }
      let result = await rollBack(run, before, live, store, budget, error)
      goOnHolding(formerlyHeld, store)
      throw result
    }
  }

  /// A change that failed leaves the former wish in force, with what the store has now.
  private func goOnHolding(_ former: Held?, _ store: SessionStore) {
    guard isHolder, let baseline = try? store.baseline() else { return }
    held = former
    held?.baseline = baseline
  }

  private func rollBack(
    _ run: Reconciler, _ before: Baseline, _ live: LiveServer, _ store: SessionStore,
    _ budget: Budget, _ cause: SessionError
  ) async -> SessionError {
    var result = cause
    do throws(SessionError) {
      var input = PlanInput(wish: AudioMode(), snapshot: await live.snapshot)
      input.baseline = run.journal
      input.baseline.serverCookie = input.snapshot.server.cookie
      input.memory = run.input.memory
      let driver = ReconcilerDriver(
        live, store, deadline: budget.whole, configuration: configuration)
      var back = Reconciler(input, undoing: run.stored, tracer: configuration.tracer)
      try await driver.run(&back)
      // Where this fails, the journal that stays on disk has the same values before.
      try? store.write(before)
      result.restored = true
      result.message += "; everything is as it was before"
    } catch {
      // The store keeps what was before: the next apply or revert goes on from there.
      result.restored = false
      result.message +=
        "; what was before could not be restored (\(error.message)): "
        + "run 'audiosession revert' when the server answers"
    }
    return result
  }

  /// Reads back what is, and writes what was done: the wish last, so that a store which fails
  /// before it leaves the former one.
  private func finish(
    _ run: Reconciler, _ live: LiveServer, _ store: SessionStore, _ budget: Budget,
    _ wish: SessionStore.Wish?, generation: Int
  ) async throws(SessionError) -> ApplyReport {
    let isActive = wish?.isActive == true
    var baseline = isActive ? run.stored : Baseline()
    baseline.settle(in: run.input.snapshot)
    let isKept = configuration.isHolding && isActive
    if isKept {
      try await live.tendPins(for: wish?.mode, deadline: budget.readBack)
    } else {
      try await live.releasePins(deadline: budget.readBack)
    }
    // The pins may be gone, and no event tells of a latency.
    try await live.reread(deadline: budget.readBack)
    await live.tendMemories()
    if !baseline.entries.contains(where: { $0.setting.isOfOthers }) {
      // Nobody would mend what a program begins with from now on.
      await live.memoryKeeper.settle(deadline: budget.readBack)
      await live.forgetEnded()
    }
    var input = run.input
    input.baseline = baseline
    // What was the default before this run says nothing any more; before the first is the baseline's.
    input.defaultsBefore = [:]
    var state = await state(live, store, input, wish)
    let status = SessionStore.Status(
      generation: wish?.generation ?? generation, memory: run.input.memory, state: state)
    if isActive {
      try store.write(status)
      try store.commit(wish, baseline)
    } else {
      // What is restored stays so, whatever the disk says of it.
      try? store.write(status)
      state.notes += store.commitWhatCanBe(wish, baseline)
    }
    if isHolder {
      held = Held(baseline: baseline, memory: run.input.memory, wish: wish)
      held?.charges.take(run.charged, in: run.input.snapshot)
    }
    refusals = run.input.refusals
    capabilities = run.input.capabilities
    self.isActive = isActive
    owesRestoring = false
    upkeep.conflicts.forget()
    upkeep.flaps.forget()
    upkeep.noteSpots(await live.snapshot)
    if !isKept, !(configuration.isHolding && configuration.holdsWithoutWish) { dropLock() }
    if isActive { emit(.applied) }
    await publish(state, isOurs: true)
    return ApplyReport(
      steps: run.report, state: state, unmet: run.lastPlan.unmet, left: run.firstPlan?.left ?? [])
  }
}
