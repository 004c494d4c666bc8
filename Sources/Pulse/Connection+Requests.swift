internal import CPulse
internal import Logging

extension Connection {
  /// Sends a command and waits for its completion.
  ///
  /// Runs in the caller's isolation, so an actor on the loop's thread needs no hop.
  func command(
    _ operation: @autoclosure @escaping () -> String, timeout: Duration?,
    isolation: isolated (any Actor)? = #isolation,
    _ call: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
  ) async throws(PulseError) {
    let request: Pending<Void> = try send(operation(), timeout: timeout, call)
    try await request.value()
  }

  /// Sends a request; the answer can be awaited later, so that several are on their way at once.
  func send<Value: Sendable>(
    _ operation: @autoclosure @escaping () -> String, timeout: Duration?,
    _ call: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
  ) throws(PulseError) -> Pending<Value> {
    let context = try readyContext(operation)
    let request: Pending<Value> = makeRequest(operation(), timeout: timeout, in: context)
    request.start { call(context, $0) }
    return request
  }

  /// Registers a request; the caller must end it.
  func makeRequest<Value: Sendable>(
    _ operation: @autoclosure @escaping () -> String, timeout: Duration?,
    in context: OpaquePointer
  ) -> Pending<Value> {
    assert(thread.isCurrent)
    lastID += 1
    let deadline = Deadlines.deadline(in: timeout ?? requestTimeout)
    let request = Pending<Value>(
      id: lastID, connection: self, deadline: deadline, operation: operation)
    pending[lastID] = request
    deadlines.arm(deadline, context, self)
    return request
  }

  private func readyContext(_ operation: () -> String) throws(PulseError) -> OpaquePointer {
    logger?.trace("\(operation())")
    if Task.isCancelled { throw PulseError(.cancelled, operation(), address: serverAddress) }
    switch state {
    case .ready(let context): return context
    case .idle, .opening: throw PulseError(.busy, operation(), "not connected yet")
    case .ended: throw abandonment(operation)
    }
  }

  func remove(_ request: PendingRequest) { pending[request.id] = nil }

  func cancel(_ id: UInt64) { abort(id, .cancelled) }

  private func abort(_ id: UInt64, _ code: PulseError.Code) {
    guard let request = pending[id] else { return }
    request.abort(PulseError(code, request.operation, address: serverAddress))
    // A context that is not connected yet has no other user.
    if case .opening(_, let opening) = state, opening.id == id {
      end(PulseError(code, "connect", address: serverAddress))
    }
  }

  /// Called by the timer: ends requests that are due, and arms the timer for the others.
  func deadlineReached() {
    let now = pa_rtclock_now()
    if deadlines.fired(at: now), let context {
      return deadlines.arm(now + 100_000, context, self)
    }
    for request in pending.values where request.deadline <= now { abort(request.id, .timedOut) }
    guard let context, let next = pending.values.lazy.map(\.deadline).min() else { return }
    deadlines.arm(next, context, self)
  }
}
