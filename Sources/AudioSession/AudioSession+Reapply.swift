import Logging
import PulseTypes
import SessionCore

extension AudioSession {
  /// Applies the mode again where the server differs; writes nothing where it does not.
  ///
  /// A call of the owner stops this between two steps (`cancelled`): the call plans from the actual
  /// state anyway, and need not wait for a mode that it may replace.
  ///
  /// - Parameter onlyForOthers: treats the streams of other programs alone.
  func reapply(
    _ live: LiveServer, _ occasion: Occasion, onlyForOthers: Bool = false
  ) async throws(SessionError) {
    guard let own = life.mode else { return }
    let (store, start) = (store(live), upkeep.now)
    try replaceStored(with: own, store)
    // The cards that a plan may take for just added are those that have come since.
    upkeep.noteAttachments(await live.snapshot)
    var input = try await input(own.mode, live, store, isExplicit: false)
    if onlyForOthers { input.isOnlyForOthers = true }
    let known = input.baseline
    if occasion == .upkeep { await noteRestored(&input, live) }
    var look = upkeep.rules.reapply(
      input, occasion, known: known, &life, at: start, tracer: configuration.tracer)
    let stop = StopSignal()
    queue.upkeep = stop
    if queue.waiting > 0 { stop.set() }
    defer { queue.upkeep = nil }
    var driver = driver(live, store, Deadline(after: configuration.timeout), stop)
    // A device that returned since the look began, also during the run, may flap.
    driver.noteAttachments = { await self.noteAttachments($0) }
    let plan: Plan
    do throws(SessionError) { plan = try await driver.plan(&look.run) } catch {
      upkeep.rules.restores.takeBack(input.restored ?? [])
      return try await end(&look, error, live, store)
    }
    guard !plan.isEmpty else {
      if !onlyForOthers { await live.closeRatePins(besides: plan.claims) }
      learned = Learned(look.run)
      return try await end(&look, nil, live, store)
    }
    let isReported = emitDrift(plan)
    do throws(SessionError) {
      try await driver.run(&look.run)
    } catch {
      await noteConflicts(look, live)
      upkeep.rules.restores.takeBack((input.restored ?? []).subtracting(look.run.attempted))
      return try await end(&look, error, live, store)
    }
    let run = look.run
    if !onlyForOthers { await live.closeRatePins(besides: run.lastPlan.claims) }
    learned = Learned(run)
    if occasion == .upkeep {
      upkeep.rules.restores.note(run.attempted.filter { known[$0] == nil }, at: upkeep.now)
    }
    try await end(&look, nil, live, store)
    if !run.effects.isEmpty {
      upkeep.reapplies += 1
      // What changed only during the run.
      if !isReported { emit(.drift(run.effects.map(\.property).unique)) }
      for step in plan.steps {
        guard step.setting.isDefault, case .name(let name) = step.to else { continue }
        upkeep.restoredDefaults.insert(name)
      }
      emit(.reapplied(upkeep.now - start))
    }
    await noteConflicts(look, live)
  }

  private func noteAttachments(_ snapshot: ServerSnapshot) -> Set<Attachment> {
    upkeep.noteAttachments(snapshot)
  }

  /// Reports what is not in effect. What the server refused at the last look is requested again, and was
  /// reported then.
  ///
  /// - Returns: whether there was anything to report.
  @discardableResult
  private func emitDrift(_ plan: Plan) -> Bool {
    let news = plan.steps.filter { learned.refusals[$0.setting] == nil }
    if !news.isEmpty { emit(.drift(news.map(\.property).unique)) }
    return !news.isEmpty
  }

  private func end(
    _ look: inout Reapply, _ error: SessionError?, _ live: LiveServer, _ store: SessionStore
  ) async throws(SessionError) {
    let snapshot = await live.snapshot
    try upkeep.rules.end(
      &look, error, &life, in: snapshot,
      generation: life.held?.generation ?? store.generation(), at: upkeep.now
    ) { baseline throws(SessionError) in try store.write(baseline) }
  }

  /// Begins to hold without a mode: restores what is left of an earlier one. After a damaged mode
  /// nothing is restored, because its settings may still be meant to be in effect.
  func restoreStored(
    _ live: LiveServer, _ store: SessionStore, _ deadline: Deadline, _ stop: StopSignal
  ) async throws(SessionError) {
    // One that cannot be read now may be meant to be in effect, too.
    guard try store.mode()?.isActive != true, !store.hasLostMode else { return }
    life.noteUnrestored(try store.baseline())
    try await restoreReturned(live, deadline, stop)
  }

  /// Restores the settings of an earlier mode on a device that was away when the mode ended and has
  /// returned, while no mode is in effect.
  func restoreReturned(
    _ live: LiveServer, _ deadline: Deadline? = nil, _ stop: StopSignal? = nil
  ) async throws(SessionError) {
    guard case .restoreReturned? = life.duty else { return }
    let (store, start) = (store(live), upkeep.now)
    let input = try await input(AudioMode(), live, store, isExplicit: false)
    let driver = driver(live, store, deadline ?? Deadline(after: configuration.timeout), stop)
    var restoration = upkeep.rules.restoreReturned(
      input, at: start, tracer: configuration.tracer)
    let plan = try await driver.plan(&restoration.run)
    if !plan.isEmpty {
      emitDrift(plan)
      try await driver.run(&restoration.run)
      if !restoration.run.effects.isEmpty { emit(.reapplied(upkeep.now - start)) }
    }
    learned = Learned(restoration.run)
    await live.closeRatePins(besides: [])
    try upkeep.rules.end(restoration, &life) { baseline throws(SessionError) in
      try store.write(baseline)
    }
    // What was refused is tried again.
    schedule()
  }

  /// Uses the values that the session manager restored for new streams as their previous values,
  /// except where they are what the session had set on the program's earlier stream.
  private func noteRestored(_ input: inout PlanInput, _ live: LiveServer) async {
    let restored = upkeep.rules.restores.restored(
      in: input.snapshot, beside: input.baseline.valid(for: input.snapshot), at: upkeep.now)
    guard !restored.isEmpty else { return }
    input.restored = Set(restored.keys)
    for (setting, value) in restored {
      input.baseline.restate(setting, before: await live.restateMemory(of: setting, value))
    }
  }

  /// A setting that another program changes again and again is in a conflict: reports it and pauses.
  private func noteConflicts(_ look: Reapply, _ live: LiveServer) async {
    guard !look.run.foreign.isEmpty else { return }
    let snapshot = await live.snapshot
    for (setting, programs) in upkeep.rules.noteConflicts(
      look, at: upkeep.now, beside: snapshot.controllers)
    {
      let opponents = snapshot.opponents(of: setting, programs)
      configuration.logger?.debug("conflict", metadata: ["setting": "\(setting.object)"])
      let end = upkeep.rules.conflicts.pauseEnd(of: setting)
      emit(
        .conflict(
          setting.title, opponents: opponents,
          until: end.map { Moment.text(after: $0 - upkeep.now) }))
    }
  }
}
