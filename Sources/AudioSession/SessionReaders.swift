import Pulse
import SessionCore

/// Who reads the events and states of a session: anyone may begin to, at any time and on any thread. A slow
/// reader loses the oldest, never the newest.
struct SessionReaders: Sendable {
  let events = Readers<SessionEvent>()
  let states = Readers<SessionState>()

  var isEmpty: Bool { events.isEmpty && states.isEmpty }

  /// - Parameter isLast: whether no session reopens for later readers.
  func finish(isLast: Bool) {
    events.finish(isLast: isLast)
    states.finish(isLast: isLast)
  }
}
