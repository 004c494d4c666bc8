import SessionCore

/// Sends events and states to every reader; a slow reader loses the oldest, never the newest.
struct Broadcast: Sendable {
  private var events: [UInt64: AsyncStream<SessionEvent>.Continuation] = [:]
  private var states: [UInt64: AsyncStream<SessionState>.Continuation] = [:]
  private var nextID: UInt64 = 0
  private(set) var lastState: SessionState?
  /// The last events, oldest first.
  private(set) var history: [TimedEvent] = []
  private static let historyLimit = 20
  /// What was shown last, with which the next state is compared.
  var shown = Shown()

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
    // Only the newest state matters.
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

  mutating func emit(_ event: SessionEvent) {
    history.append(.now(event))
    history.removeFirst(max(0, history.count - Self.historyLimit))
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
