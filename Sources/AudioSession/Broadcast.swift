import Pulse
import SessionCore

/// What the session has sent to its readers.
struct Broadcast: Sendable {
  private let readers: SessionReaders
  private(set) var lastState: SessionState?
  /// The last events, oldest first.
  private(set) var history: [TimedEvent] = []
  private static let historyLimit = 20
  /// What was shown last, with which the next state is compared.
  var shown = Shown()

  init(to readers: SessionReaders) { self.readers = readers }

  mutating func emit(_ event: SessionEvent) {
    history.append(.now(event))
    history.removeFirst(max(0, history.count - Self.historyLimit))
    readers.events.send(event)
  }

  mutating func emit(_ state: SessionState) {
    guard state != lastState else { return }
    lastState = state
    readers.states.send(state)
  }
}
