import SessionCore

/// What it sets on the server, and keeps there.
extension SimulatedSession {
  /// Sets the server as the session does: the baseline first, then the server, then the mode. An order
  /// that is withdrawn meanwhile is undone, and one that the server refuses changes nothing.
  func apply(
    _ value: Int, for order: Int?, keeping kept: Int? = nil,
    _ finish: @escaping (SimulatedSession, Bool) -> Void
  ) {
    isBusy = true
    if let work { return apply(value, for: order, keeping: kept, work, finish) }
    let former = mode
    world.underWay.insert(value)
    if (try? store.read(.baseline)) ?? nil == nil {
      guard (try? store.protect(Self.bytes(world.original))) != nil else { return }
    }
    func end(_ session: SimulatedSession, _ isDone: Bool) {
      if value != session.world.acknowledged { session.world.underWay.remove(value) }
      session.isBusy = false
      finish(session, isDone)
      session.later { $0.obey() }
    }
    let isStopped = { (session: SimulatedSession) in
      order.map(session.stopped.contains) == true
    }
    later { session in
      guard !isStopped(session), order == nil || session.world.accepts(value) else {
        return end(session, false)
      }
      session.world.set(value, by: session)
      session.later { session in
        guard !isStopped(session) else {
          session.world.set(former, by: session)
          return end(session, false)
        }
        guard (try? session.store.commit(Self.bytes(value))) != nil else { return }
        session.mode = value
        session.world.acknowledged = value
        session.world.sequence.apply(value, by: session.process, for: order)
        session.world.underWay.remove(value)
        session.world.log("\(session.process) has applied \(value)")
        end(session, true)
      }
    }
  }

  /// The same on the model server.
  private func apply(
    _ value: Int, for order: Int?, keeping kept: Int?, _ work: ModelWork,
    _ finish: @escaping (SimulatedSession, Bool) -> Void
  ) {
    world.underWay.insert(value)
    let isStopped = { [unowned self] in order.map(stopped.contains) == true }
    work.apply(value, keeping: kept, isStopped: isStopped) { [weak self] error in
      guard let self, isRunning else { return }
      if error == nil {
        (mode, world.acknowledged) = (value, value == 0 ? nil : value)
        world.sequence.apply(value, by: process, for: order)
        world.log("\(process) has applied \(value)")
      } else if kept != nil, let error, error.leavesServerUnknown {
        // No server can refuse the end of a mode.
        life.standDown()
        guard (try? store.commit(nil)) != nil else { return }
        (mode, world.acknowledged) = (0, nil)
        work.noteChange()
      }
      if error == nil || mode == 0 { isDeactivated = kept != nil }
      if error != nil, value == world.acknowledged ?? 0 {} else { world.underWay.remove(value) }
      isBusy = false
      finish(self, error == nil)
      work.schedule()
      later { $0.obey() }
    }
  }

  func lookAtServer() {
    guard let work else { return }
    // An earlier alarm may have stood for a look that another occasion replaced.
    guard work.isDue else { return work.schedule() }
    isBusy = true
    work.look(isStopped: { [unowned self] in !jobs.isEmpty }) { [weak self] in
      self?.isBusy = false
      self?.later { $0.obey() }
    }
  }

  /// The server restarted without what the session had set.
  func noteReset() {
    wasReset = true
    later { $0.obey() }
  }

  func restore() {
    wasReset = false
    isBusy = true
    later { session in
      guard session.isHolder else { return }
      session.world.set(session.mode, by: session)
      session.isBusy = false
      session.later { $0.obey() }
    }
  }
}

extension SessionError {
  fileprivate var leavesServerUnknown: Bool {
    [.serverUnreachable, .serverLost, .timedOut].contains(code)
  }
}
