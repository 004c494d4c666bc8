/// Passes each event to the handler, at once, and to every stream of events.
struct EventHub {
  var handler: (@Sendable (PulseEvent) -> Void)?
  private var consumers: [UInt64: AsyncStream<PulseEvent>.Continuation] = [:]
  private var lastID: UInt64 = 0
  private var isFinished = false

  func send(_ event: PulseEvent) {
    handler?(event)
    for consumer in consumers.values { consumer.yield(event) }
  }

  /// Makes a stream; `onEnd` is called with its number, on any thread, when its reader is gone.
  mutating func makeStream(
    limit: Int, onEnd: @escaping @Sendable (UInt64) -> Void
  ) -> AsyncStream<PulseEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PulseEvent.self, bufferingPolicy: .bufferingNewest(limit))
    guard !isFinished else {
      continuation.finish()
      return stream
    }
    lastID += 1
    let id = lastID
    consumers[id] = continuation
    continuation.onTermination = { _ in onEnd(id) }
    return stream
  }

  mutating func remove(_ id: UInt64) { consumers[id] = nil }

  mutating func finish() {
    isFinished = true
    handler = nil
    let last = consumers
    consumers = [:]
    for consumer in last.values { consumer.finish() }
  }
}
