internal import CPulse

/// A request to the server, until it has ended: exactly once, by its reply, its task's
/// cancellation, its deadline, or the end of the connection.
///
/// Confined to the loop's thread, like its `Connection`.
class PendingRequest {
  let id: UInt64
  let connection: Connection
  let deadline: UInt64
  private let words: () -> String
  private var handle: OpaquePointer?

  init(id: UInt64, connection: Connection, deadline: UInt64, operation: @escaping () -> String) {
    self.id = id
    self.connection = connection
    self.deadline = deadline
    words = operation
  }

  /// The description for an error; made only if there is one.
  var operation: String { words() }

  /// Whether the request has its result; the operation may exist a moment longer.
  var hasEnded: Bool { fatalError("abstract") }  // only `Pending`, which overrides it, is ever made

  /// Ends with an error; leaves the operation alone.
  func fail(_ error: PulseError) { fatalError("abstract") }  // as above

  /// Ends with libpulse's current error.
  func failWithContextError() { fail(connection.contextError(operation)) }

  /// Ends with an error, and cancels libpulse's operation.
  final func abort(_ error: PulseError) {
    fail(error)
    if let handle { pa_operation_cancel(handle) }
  }

  /// Calls libpulse. Retains the request for the callbacks until the *operation* ends, which may be
  /// long after the request: `operationEnded` is called then in any case.
  final func start(_ call: (UnsafeMutableRawPointer) -> OpaquePointer?) {
    let me = Unmanaged<PendingRequest>.passRetained(self)  // released below, or in operationEnded
    guard let handle = call(me.toOpaque()) else {
      failWithContextError()
      return me.release()
    }
    self.handle = handle
    pa_operation_set_state_callback(handle, onOperationState, me.toOpaque())
  }

  /// libpulse has finished the operation, or cancelled it without the reply's callback, as it does
  /// on a disconnect and when a stream ends.
  final func operationEnded(_ operation: OpaquePointer) {
    handle = nil
    if !hasEnded { fail(connection.abandonment(words)) }
    pa_operation_unref(operation)
    Unmanaged.passUnretained(self).release()  // balances start()
  }
}

final class Pending<Value: Sendable>: PendingRequest {
  private enum State {
    case pending
    case awaited(CheckedContinuation<Result<Value, PulseError>, Never>)
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
    switch state {
    case .ended: return
    case .pending: break
    case .awaited(let continuation): continuation.resume(returning: result)
    }
    state = .ended(result)
    connection.remove(self)
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
