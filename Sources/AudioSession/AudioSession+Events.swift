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

  /// Tells readers of a new state, and of a route that differs from the last.
  func publish(_ state: SessionState, isOurs: Bool) {
    if let previous = lastRoute, previous != state.route {
      let reason = RouteChangeReason.between(previous, state.route, isOurs: isOurs)
      broadcast.emit(.routeChanged(reason, previous: previous, current: state.route))
    }
    lastRoute = state.route
    broadcast.emit(state)
  }
}
