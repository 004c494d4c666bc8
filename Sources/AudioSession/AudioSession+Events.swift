import Logging
public import SessionCore

extension AudioSession {
  /// What happens to the session from now on; each call makes a sequence of its own.
  ///
  /// A reader that is slow loses the oldest of more than 64 unread events. The session must be
  /// connected to see the server: it is after the first call that reads or writes.
  public var events: AsyncStream<SessionEvent> {
    broadcast.addEventReader { [weak self] id in
      Task { [weak self] in await self?.removeReader(id) }
    }
  }

  /// The state whenever it changes; a reader that is slow sees the newest only.
  public var stateUpdates: AsyncStream<SessionState> {
    broadcast.addStateReader { [weak self] id in
      Task { [weak self] in await self?.removeReader(id) }
    }
  }

  private func removeReader(_ id: UInt64) { broadcast.remove(id) }

  func emit(_ event: SessionEvent) {
    configuration.tracer?(.event(event))
    broadcast.emit(event)
  }

  /// Tells of an interruption that began or ended, if one did.
  func emit(_ change: InterruptionWatch.Change?) {
    switch change {
    case .began(let interruption): emit(.interruptionBegan(interruption))
    case .ended: emit(.interruptionEnded(shouldResume: isActive))
    case nil: break
    }
  }

  /// Tells readers of a new state, of a route that differs from the last, and of wishes that have
  /// begun to wait; and writes for other processes what only the holder knows.
  func publish(_ state: SessionState, isOurs: Bool) async {
    let now = await live?.snapshot
    if let previous = lastRoute, previous != state.route {
      let reason = RouteChangeReason.between(
        previous, state.route, isOurs: isOurs,
        needs: isActive ? Array(own?.mode.category?.directions ?? []) : [],
        hasSlept: upkeep.hasSlept(),
        present: upkeep.told.flatMap { before in now.map { (before.deviceNames, $0.deviceNames) } })
      emit(.routeChanged(reason, previous: previous, current: state.route))
    }
    if !isOurs, portOverride != .none {
      // Upkeep itself may have led to the new route; the wish alone counts from now on.
      noteRoute(state.route)
      if portOverride == .none { noteChange() }
    }
    lastRoute = state.route
    // What the first change of ours did to the devices is no news to anybody.
    if upkeep.told == nil { lastSnapshot = now }
    upkeep.told = now
    let pending = state.pending
    if pending != upkeep.pending, !pending.isEmpty, isActive { emit(.pending(pending)) }
    upkeep.pending = pending
    broadcast.emit(state)
    writeStatus(state)
  }

  private func writeStatus(_ state: SessionState) {
    guard isHolder, let held else { return }
    var state = state
    state.events = broadcast.history
    guard state != upkeep.written else { return }
    do throws(SessionError) {
      try store(live).write(
        SessionStore.Status(
          generation: held.wish?.generation ?? 0, memory: held.memory, state: state))
      upkeep.written = state
    } catch {
      // What others can know of the session is then older than it is; the session itself goes on.
      configuration.logger?.debug("status not written", metadata: ["error": "\(error.message)"])
    }
  }
}
