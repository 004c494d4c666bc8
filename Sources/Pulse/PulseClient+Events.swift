internal import CPulse

extension PulseClient {
  /// Subscribes to the events of all objects.
  ///
  /// Subscribe *before* the first snapshot; otherwise a change between the two is lost.
  ///
  /// Errors: those of every request (see `PulseClient`).
  ///
  /// libpulse: `pa_context_subscribe`.
  public func subscribe(timeout: Duration? = nil) async throws(PulseError) {
    try await connection.command("subscribe", timeout: timeout) {
      pa_context_subscribe($0, PA_SUBSCRIPTION_MASK_ALL, onSuccess, $1)
    }
  }

  /// Sets the handler that is called for each event, at once, on the loop's thread.
  ///
  /// For code with a dirty set: nothing is buffered, so nothing can accumulate. The handler must be
  /// quick; inside it `assumeIsolated` works for actors on this loop. Requires `subscribe`.
  public func setEventHandler(_ handler: (@Sendable (PulseEvent) -> Void)?) {
    connection.eventHandler = handler
  }

  /// Returns a stream of the events from now on; it ends with the connection.
  ///
  /// Each call returns an independent stream. A slow reader loses the oldest events. Requires
  /// `subscribe`.
  ///
  /// - Parameter limit: how many unread events are kept.
  public func events(bufferingNewest limit: Int = 256) -> AsyncStream<PulseEvent> {
    let stream = connection.events.makeStream(limit: limit)
    if case .ended = connection.state { connection.events.finish() }
    return stream
  }

  /// Sets the handler that is called once, on the loop's thread, when the connection ends.
  ///
  /// The error's code is `disconnected` if the server ended the connection, `closed` after `close`.
  /// If the connection has ended already, the handler is called before this returns.
  public func setDisconnectHandler(_ handler: (@Sendable (PulseError) -> Void)?) {
    if case .ended(let error) = connection.state {
      handler?(error)
    } else {
      connection.disconnectHandler = handler
    }
  }
}
