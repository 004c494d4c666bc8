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
