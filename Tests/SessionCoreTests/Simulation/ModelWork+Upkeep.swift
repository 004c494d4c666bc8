import PulseTypes

@testable import SessionCore

/// What a holder does when its server changes.
extension ModelWork {
  func noteChange() {
    guard session.isHolder else { return }
    if mutant == .seesNoRestart, connection != server.run { return }
    rules.pacer.noteChange(at: world.now)
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
    let due = rules.nextLook
    guard session.isHolder, let due, scheduled.map({ due < $0 }) ?? true else { return }
    scheduled = due
    session.later(max(.zero, due - now)) { [weak self] _ in
      guard let self else { return }
      if scheduled == due { scheduled = nil }
      session.obey()
    }
  }

  /// Whether there is a reason to look: one that has come since the last look.
  var isDue: Bool { rules.isDue(at: world.now) }

  /// Compares the server with the mode; in the session's turn.
  func look(isStopped: @escaping () -> Bool, _ done: @escaping () -> Void) {
    session.noteWake()
    rules.beginLook(at: world.now)
    looks += 1
    let wasLost = connection == nil
    let end = { [weak self] (error: SessionError?) in
      guard let self else { return }
      if error == nil {
        _ = rules.didWork()
        rules.pacer.endLook()
      } else {
        rules.failLook(at: world.now)
      }
      done()
      schedule()
    }
    if wasLost {
      backoff = backoff ?? ReconnectBackoff()
      rules.noteLoss()
    }
    let limit = min(Self.timeout, wasLost ? backoff?.nextTry ?? Self.timeout : Self.timeout)
    read(by: world.now + limit) { [weak self] error in
      guard let self else { return }
      guard error == nil, let view else {
        if wasLost { backoff?.noteFailure() }
        return end(error)
      }
      backoff = nil
      let (snapshot, now) = (view.snapshot, world.now)
      if wasLost {
        rules.noteReset(snapshot, at: now)
        rules.news.insert(.reset)
      }
      let mode = world.mode(session.life.modeInEffect ?? 0)
      let sight = rules.see(
        snapshot, after: nil, &session.life, inEffect: mode, preferences: mode,
        process: session.process, at: now)
      switch sight.work {
      case .reapply(let number, let occasion): reapply(number, view, occasion, isStopped, end)
      case .treatOthers(let number):
        reapply(number, view, .upkeep, onlyForOthers: true, isStopped, end)
      case .restoreReturned: restoreReturned(view, isStopped, end)
      case .restore(let kept): apply(0, keeping: kept, isStopped: isStopped, end)
      case nil: end(nil)
      }
    }
  }

  private func reapply(
    _ number: Int, _ view: ModelServer.View, _ occasion: Occasion, onlyForOthers: Bool = false,
    _ isStopped: @escaping () -> Bool, _ end: @escaping Done
  ) {
    let held = session.life.held
    var input = PlanInput(mode: world.mode(number), snapshot: view.snapshot)
    input.baseline = held?.baseline ?? storedBaseline()
    input.memory = held?.memory ?? HintMemory()
    input.grants = view.grants
    input.process = session.process
    input.isExplicit = false
    if onlyForOthers { input.isOnlyForOthers = true }
    rules.complete(&input, at: world.now)
    if mutant == .leavesArrivals {
      let levels = view.snapshot.sources.map { Setting.volume(.input, device: $0.name) }
      session.life.held?.charges.take(levels, in: view.snapshot)
    }
    var look = rules.reapply(
      input, occasion, known: input.baseline, &session.life, at: world.now)
    let task = Task(look.run, by: world.now + Self.timeout, isStopped) { _ in }
      .continued { [weak self] task, error in
        guard let self else { return }
        look.run = task.loop
        var error = error
        do throws(SessionError) {
          try rules.end(
            &look, error, &session.life, in: self.view?.snapshot ?? view.snapshot, generation: 0,
            at: world.now
          ) { baseline throws(SessionError) in try self.write(baseline) }
        } catch let failure {
          error = failure
        }
        for (setting, _) in rules.noteConflicts(look, at: world.now) {
          world.noteConflict(setting, session)
        }
        if let view = self.view { rules.noteAttachments(view.snapshot, at: world.now) }
        end(error)
      }
    task.noteAttachments = { [weak self] snapshot in
      guard let self else { return nil }
      return rules.noteAttachments(snapshot, at: world.now)
    }
    perform(task)
  }

  /// While no mode is in effect: what was unplugged when it ended.
  private func restoreReturned(
    _ view: ModelServer.View, _ isStopped: @escaping () -> Bool, _ end: @escaping Done
  ) {
    var input = PlanInput(mode: AudioMode(), snapshot: view.snapshot)
    input.baseline = session.life.held?.baseline ?? storedBaseline()
    var restoration = rules.restoreReturned(input, at: world.now)
    let task = Task(restoration.run, by: world.now + Self.timeout, isStopped) { _ in }
    perform(
      task.continued { [weak self] task, error in
        guard let self else { return }
        if let error { return end(error) }
        restoration.run = task.loop
        do throws(SessionError) {
          try rules.end(restoration, &session.life) {
            baseline throws(SessionError) in
            try self.write(baseline)
          }
          end(nil)
        } catch {
          end(error)
        }
      })
  }
}
