import PulseTypes

@testable import SessionCore

/// What a holder does when its server changes.
extension ModelWork {
  func noteChange() {
    guard session.isHolder else { return }
    if mutant == .seesNoRestart, connection != server.run { return }
    pacer.noteChange(at: world.now)
    schedule()
  }

  /// Goes on after another session: the whole mode counts, as after a restart.
  func resume(_ number: Int) {
    session.life.declare(number)
    (connection, scheduled) = (nil, nil)
    noteChange()
  }

  func schedule() {
    let now = world.now
    let due = nextLook(after: now)
    guard session.isHolder, let due, scheduled.map({ due < $0 }) ?? true else { return }
    scheduled = due
    session.later(max(.zero, due - now)) { [weak self] _ in
      guard let self else { return }
      if scheduled == due { scheduled = nil }
      session.obey()
    }
  }

  private func nextLook(after time: Duration) -> Duration? {
    [
      pacer.nextLook, conflicts.nextEnd(after: time), returns.nextEnd(after: time),
      refused.nextEnd(after: time),
    ].compactMap { $0 }.min()
  }

  /// Whether there is a reason to look: one that has come since the last look.
  var isDue: Bool { nextLook(after: lastLook).map { $0 <= world.now } ?? false }

  /// Compares the server with the mode; in the session's turn.
  func look(isStopped: @escaping () -> Bool, _ done: @escaping () -> Void) {
    session.noteWake()
    pacer.beginLook()
    lastLook = world.now
    let wasLost = connection == nil
    let end = { [weak self] (error: SessionError?) in
      guard let self else { return }
      if error == nil { pacer.endLook() } else { pacer.failLook(at: world.now) }
      done()
      schedule()
    }
    if wasLost { backoff = backoff ?? ReconnectBackoff() }
    let limit = min(Self.timeout, wasLost ? backoff?.nextTry ?? Self.timeout : Self.timeout)
    read(by: world.now + limit) { [weak self] error in
      guard let self else { return }
      guard error == nil, let view else {
        if wasLost { backoff?.noteFailure() }
        return end(error)
      }
      backoff = nil
      manager.note(view.snapshot.sessionManager?.index, at: world.now)
      if wasLost, view.snapshot.has(.sessionManager) { manager.noteReset(at: world.now) }
      let isNew = wasLost || manager.isNew(at: world.now)
      switch session.life.duty {
      case .maintain(let number):
        reapply(number, view, isNew ? .reset : .upkeep, isStopped, end)
      case .restoreReturned: restoreReturned(view, isStopped, end)
      case .restore(let kept): apply(0, keeping: kept, isStopped: isStopped, end)
      case nil: end(nil)
      }
    }
  }

  private func reapply(
    _ number: Int, _ view: ModelServer.View, _ occasion: Occasion,
    _ isStopped: @escaping () -> Bool, _ end: @escaping Done
  ) {
    let held = session.life.held
    var input = PlanInput(mode: world.mode(number), snapshot: view.snapshot)
    input.baseline = held?.baseline ?? storedBaseline()
    input.memory = held?.memory ?? HintMemory()
    input.grants = view.grants
    input.process = session.process
    input.isExplicit = false
    var charges = held?.charges ?? Charges()
    if mutant == .leavesArrivals {
      let levels = view.snapshot.sources.map { Setting.volume(.input, device: $0.name) }
      charges.take(levels, in: view.snapshot)
    }
    var look = Reapply(
      input, occasion, known: input.baseline, charges: charges, seen: seen, conflicts: conflicts,
      at: world.now)
    session.life.held?.charges = look.charges
    let task = Task(look.run, by: world.now + Self.timeout, isStopped) { _ in }
    perform(
      task.continued { [weak self] task, error in
        guard let self else { return }
        look.run = task.loop
        seen = look.run.seen
        do throws(SessionError) {
          if let error { throw error }
          let (baseline, isNew) = look.end()
          if isNew { try write(baseline) }
          refused.note(Set(look.run.input.refusals.keys), at: world.now)
          session.life.held = Held(
            baseline: baseline, memory: look.run.input.memory, charges: look.charges)
        } catch {
          session.life.held?.baseline = look.run.stored
          if occasion == .upkeep { noteConflicts(look.run.foreign) }
          return end(error)
        }
        if occasion == .upkeep { noteConflicts(look.run.foreign) }
        end(nil)
      })
  }

  private func noteConflicts(_ changes: [Setting: Int]) {
    for (setting, _) in conflicts.noteChanges(changes, at: world.now) {
      world.noteConflict(setting, session)
    }
  }

  /// While no mode is in effect: what was unplugged when it ended.
  private func restoreReturned(
    _ view: ModelServer.View, _ isStopped: @escaping () -> Bool, _ end: @escaping Done
  ) {
    let start = world.now
    var input = PlanInput(mode: AudioMode(), snapshot: view.snapshot)
    let known = session.life.held?.baseline ?? storedBaseline()
    input.baseline = returns.unrestored(known, in: view.snapshot, at: start)
    input.isExplicit = false
    let unrestored = input.baseline
    let task = Task(Reconciler(input, isRestoring: true), by: start + Self.timeout, isStopped) {
      _ in
    }
    perform(
      task.continued { [weak self] task, error in
        guard let self else { return }
        if let error { return end(error) }
        let left = returns.unrestored(unrestored, in: task.loop.input.snapshot, at: start)
        var baseline = known
        baseline.entries.removeAll { !left.has($0) }
        session.life.noteUnrestored(baseline)
        if baseline != known { try? write(baseline) }
        end(nil)
      })
  }
}
