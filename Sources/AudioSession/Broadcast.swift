import Pulse
import SessionCore

/// Sends events and states to every reader; a slow reader loses the oldest, never the newest.
struct Broadcast: Sendable {
  let events = Readers<SessionEvent>()
  let states = Readers<SessionState>()
  private(set) var lastState: SessionState?
  /// The last events, oldest first.
  private(set) var history: [TimedEvent] = []
  private static let historyLimit = 20
  /// What was shown last, with which the next state is compared.
  var shown = Shown()

  var hasReaders: Bool { !events.isEmpty || !states.isEmpty }

  mutating func emit(_ event: SessionEvent) {
    history.append(.now(event))
    history.removeFirst(max(0, history.count - Self.historyLimit))
    events.send(event)
  }

  mutating func emit(_ state: SessionState) {
    guard state != lastState else { return }
    lastState = state
    states.send(state)
  }

  func finish() {
    events.finish()
    states.finish()
  }
}
