final class Pending<Value: Sendable>: PendingRequest {
  private enum State {
    case pending
    case awaited(CheckedContinuation<Result<Value, PulseError>, Never>)
    case watched(() -> Void)
    case ended(Result<Value, PulseError>)
  }

  private var state = State.pending
  /// The elements of a list that have arrived.
  private(set) var partial: Value?

  override var hasEnded: Bool { if case .ended = state { true } else { false } }

  override func fail(_ error: PulseError) { finish(.failure(error)) }

  func succeed(_ value: Value) { finish(.success(value)) }

  /// Ends with its value; without one, with libpulse's current error.
  func end(_ value: Value?) {
    if let value { succeed(value) } else { failWithContextError() }
  }

  /// Adds an element of a list, which has one callback for each.
  func append<Element>(_ element: Element) where Value == [Element] {
    if partial?.append(element) == nil { partial = [element] }
  }

  private func finish(_ result: Result<Value, PulseError>) {
    var watcher: (() -> Void)?
    switch state {
    case .ended: return
    case .pending: break
    case .awaited(let continuation): continuation.resume(returning: result)
    case .watched(let body): watcher = body
    }
    state = .ended(result)
    connection.remove(self)
    watcher?()
  }

  /// Calls a function at the end, however that comes.
  func whenEnded(_ body: @escaping () -> Void) {
    if hasEnded { body() } else { state = .watched(body) }
  }

  private func suspend(_ continuation: CheckedContinuation<Result<Value, PulseError>, Never>) {
    assert(connection.thread.isCurrent)
    if case .ended(let result) = state {
      continuation.resume(returning: result)
    } else {
      state = .awaited(continuation)
    }
  }

  /// Waits for the end; cancelling the task ends the request at once.
  func value(isolation: isolated (any Actor)? = #isolation) async throws(PulseError) -> Value {
    assert(connection.thread.isCurrent)
    if case .ended(let result) = state { return try result.get() }
    let (connection, id) = (connection, id)
    let result = await withTaskCancellationHandler {
      // Only a closure that captures the isolated parameter is isolated; another one would run on
      // another thread, and miss an answer that arrives in the meantime.
      _ = isolation
      return await connection.thread.suspend { suspend($0) }
    } onCancel: {
      connection.thread.add(.call { connection.cancel(id) })
    }
    return try result.get()
  }
}
