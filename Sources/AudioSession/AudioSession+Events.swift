import Logging
import Pulse
public import SessionCore

extension AudioSession {
  /// The session's events from now on; each call returns an independent sequence.
  ///
  /// If more than 64 events are unread, a slow reader loses the oldest. The session sees the server
  /// only while it is connected, that is, after the first call that reads or writes.
  public nonisolated var events: AsyncStream<SessionEvent> { readers.events.makeStream(limit: 64) }

  /// The state after each change; a slow reader gets only the newest.
  public nonisolated var stateUpdates: AsyncStream<SessionState> {
    readers.states.makeStream(limit: 1)
  }

  func emit(_ event: SessionEvent) {
    configuration.tracer?(.event(event))
    broadcast.emit(event)
  }

  /// Emits the beginning or the end of an interruption, if there is one.
  func emit(_ change: InterruptionWatch.Change?) {
    switch change {
    case .began(let interruption): emit(.interruptionBegan(interruption))
    case .ended: emit(.interruptionEnded(shouldResume: life.isActive))
    case nil: break
    }
  }

  /// Publishes a new state, a changed route, and preferences that became pending; a holder also
  /// writes its status for other processes.
  func publish(_ state: SessionState, isOurs: Bool) async {
    let now = await live?.snapshot
    defer { upkeep.restoredDefaults = [] }
    let isFirst = !broadcast.shown.hasPublished
    if let previous = broadcast.shown.route, previous != state.route, !isFirst || !isOurs {
      let reason = RouteChangeReason.between(
        previous, state.route, isOurs: isOurs, restored: upkeep.restoredDefaults,
        needs: Array(modeInEffect?.category?.directions ?? []),
        hasSlept: upkeep.hasSlept,
        present: broadcast.shown.published.flatMap { before in
          now.map { (before.deviceNames, $0.deviceNames) }
        })
      emit(.routeChanged(reason, previous: previous, current: state.route))
    }
    if !isOurs, upkeep.portOverride != .none {
      // Upkeep itself may have caused the new route; from now on only the mode counts.
      noteRoute(state.route)
      if upkeep.portOverride == .none { noteChange() }
    }
    broadcast.shown.route = state.route
    // How the first change of ours affected the devices is not an event.
    if isFirst { broadcast.shown.snapshot = now }
    (broadcast.shown.published, broadcast.shown.hasPublished) = (now, true)
    let pending = state.pending
    if pending != broadcast.shown.pending, !pending.isEmpty, life.isActive {
      emit(.pending(pending))
    }
    broadcast.shown.pending = pending
    broadcast.emit(state)
    writeStatus(state)
  }

  private func writeStatus(_ state: SessionState) {
    guard let held = life.held else { return }
    var state = state
    state.events = broadcast.history
    guard state != broadcast.shown.written else { return }
    do throws(SessionError) {
      try store(live).write(
        SessionStore.Status(
          generation: held.generation, memory: held.memory, learned: learned, state: state))
      broadcast.shown.written = state
    } catch {
      // Other processes then see an outdated status; the session itself continues.
      configuration.logger?.debug("status not written", metadata: ["error": "\(error.message)"])
    }
  }
}
