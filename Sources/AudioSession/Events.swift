public import SessionCore

/// Something that happened to a session.
public enum SessionEvent: Sendable, Hashable {
  /// A wish was made so and read back.
  case applied
  /// Other inputs or outputs are in use.
  case routeChanged(RouteChangeReason, previous: Route, current: Route)
  /// Devices, ports or profiles came or went.
  case devicesChanged
  /// These properties are no longer as wished.
  case drift([String])
  /// The wish was made so again, in this time.
  case reapplied(Duration)
  /// The wish could not be made so again; it is tried again.
  case reapplyFailed(SessionError)
  /// Somebody keeps changing a setting: it is left alone for a while.
  case fight(Setting, opponents: [String])
  /// The server is gone.
  case serverLost
  /// The server is back, and everything is as wished again after this time.
  case serverReset(Duration)
  /// The session was closed.
  case stopped
}

/// Hands events and states to every reader; one that is slow loses the oldest, never the newest.
struct Broadcast: Sendable {
  private var events: [UInt64: AsyncStream<SessionEvent>.Continuation] = [:]
  private var states: [UInt64: AsyncStream<SessionState>.Continuation] = [:]
  private var nextID: UInt64 = 0
  private(set) var lastState: SessionState?

  var hasReaders: Bool { !events.isEmpty || !states.isEmpty }

  mutating func addEventReader(
    onEnd: @escaping @Sendable (UInt64) -> Void
  ) -> AsyncStream<SessionEvent> {
    nextID += 1
    let id = nextID
    let (stream, continuation) = AsyncStream.makeStream(
      of: SessionEvent.self, bufferingPolicy: .bufferingNewest(64))
    continuation.onTermination = { _ in onEnd(id) }
    events[id] = continuation
    return stream
  }

  mutating func addStateReader(
    onEnd: @escaping @Sendable (UInt64) -> Void
  ) -> AsyncStream<SessionState> {
    nextID += 1
    let id = nextID
    // Of states only the newest means anything.
    let (stream, continuation) = AsyncStream.makeStream(
      of: SessionState.self, bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { _ in onEnd(id) }
    states[id] = continuation
    return stream
  }

  mutating func remove(_ id: UInt64) {
    events[id] = nil
    states[id] = nil
  }

  func emit(_ event: SessionEvent) {
    for reader in events.values { reader.yield(event) }
  }

  mutating func emit(_ state: SessionState) {
    guard state != lastState else { return }
    lastState = state
    for reader in states.values { reader.yield(state) }
  }

  mutating func finish() {
    for reader in events.values { reader.finish() }
    for reader in states.values { reader.finish() }
    events = [:]
    states = [:]
  }
}
