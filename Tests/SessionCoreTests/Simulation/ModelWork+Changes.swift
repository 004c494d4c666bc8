import PulseTypes

@testable import SessionCore

/// What the process is asked for: a mode, or its end.
extension ModelWork {
  /// As a session's configuration has it: 70 % of the time for the change, the rest to undo it.
  static let timeout = Duration.seconds(5)

  /// Makes a mode take effect, or ends it; the caller has the lock.
  ///
  /// - Parameters:
  ///   - value: the mode's number, 0 for none.
  ///   - kept: the mode that ends and stays for later.
  func apply(
    _ value: Int, keeping kept: Int? = nil, isStopped: @escaping () -> Bool, _ done: @escaping Done
  ) {
    let begin = world.now
    read(by: begin + Self.timeout * 0.7) { [weak self] error in
      guard let self else { return }
      if let error { return done(error) }
      guard let view else { return }
      world.promises.excuse(view.arrivals)
      let former = session.life.beginChange()
      var input = PlanInput(mode: world.mode(value), snapshot: view.snapshot)
      (input.baseline, input.memory) = (
        former?.baseline ?? storedBaseline(), former?.memory ?? HintMemory()
      )
      input.grants = view.grants
      input.process = session.process
      let wasInEffect = ((try? session.store.read(.mode)) ?? nil) != nil
      var change = ModeChange(
        input, to: value == 0 ? .ended(forgets: false) : .inEffect, wasInEffect: wasInEffect)
      let task = Task(change.run, by: begin + Self.timeout * 0.7, isStopped) { _ in }
      perform(
        task.continued { [weak self] task, error in
          guard let self else { return }
          change.run = task.loop
          var error = error
          if error == nil, isStopped() {
            error = SessionError(.cancelled, stage: .session, "stopped")
          }
          do throws(SessionError) {
            if let error { throw error }
            try commit(change, value, keeping: kept)
            done(nil)
          } catch {
            guard session.isRunning else { return }
            undo(change, former, by: begin + Self.timeout, error) {
              done(error)
            }
          }
        })
    }
  }

  private func commit(
    _ change: ModeChange, _ value: Int, keeping kept: Int?
  ) throws(SessionError) {
    world.promises.excuse(view?.arrivals ?? [])
    let baseline = mutant == .forgetsUnplugged && value == 0 ? Baseline() : change.outcome
    try write(baseline)
    try session.store.commit(value == 0 ? nil : SimulatedSession.bytes(value))
    rules.end(
      change, value == 0 ? kept : value, isInEffect: value != 0, baseline, &session.life,
      generation: 0, at: world.now)
    if let view { rules.noteAttachments(view.snapshot, at: world.now) }
  }

  private func undo(
    _ change: ModeChange, _ former: Held?, by deadline: Duration, _ cause: SessionError,
    _ done: @escaping () -> Void
  ) {
    world.log("\(session.process) fails: \(cause.message)")
    let end = { [weak self] (baseline: Baseline?, left: Set<Setting>) in
      guard let self, session.isRunning else { return }
      if let baseline { try? write(baseline) }
      session.life.failChange(
        former, storedBaseline(), besides: left, wasInEffect: change.wasInEffect)
      rules.pacer.noteChange(at: world.now)
      done()
    }
    guard mutant != .undoesNothing, let snapshot = view?.snapshot,
      let back = change.undoing(in: snapshot)
    else { return end(change.run.hasWritten ? nil : change.before, []) }
    let task = Task(back, by: deadline, { false }) { _ in }
    perform(
      task.continued { task, error in
        guard error == nil else { return end(nil, change.run.attempted) }
        let (away, blocked) = change.left(by: task.loop)
        end(change.undone(by: task.loop), away.union(blocked))
      })
  }
}

extension ModelWork.Task {
  /// The same run, whose end gets it.
  func continued(_ done: @escaping (ModelWork.Task, SessionError?) -> Void) -> ModelWork.Task {
    var result: ModelWork.Task?
    let task = ModelWork.Task(loop, by: deadline, isStopped) { error in
      if let task = result { done(task, error) }
      result = nil
    }
    result = task
    return task
  }
}
