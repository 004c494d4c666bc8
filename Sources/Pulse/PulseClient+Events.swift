internal import CPulse

extension PulseClient {
  /// Asks the server to tell about these kinds of objects, replacing what was asked before.
  ///
  /// Subscribe *before* the first snapshot, or a change between the two is lost.
  ///
  /// libpulse: `pa_context_subscribe`.
  public func subscribe(
    _ mask: EventMask = .all, timeout: Duration? = nil
  ) async throws(PulseError) {
    let bits = pa_subscription_mask_t(mask.rawValue)
    try await connection.command("subscribe", timeout: timeout) {
      pa_context_subscribe($0, bits, onSuccess, $1)
    }
  }

  /// Sets what is called for each event, at once, on the loop's thread.
  ///
  /// For code that keeps a dirty set: nothing is buffered, so nothing can pile up. The handler must
  /// be quick; inside it `assumeIsolated` works for actors on this loop. It needs `subscribe`.
  public func setEventHandler(_ handler: (@Sendable (PulseEvent) -> Void)?) {
    connection.events.handler = handler
  }

  /// Returns a stream of the events from now on; it ends with the connection.
  ///
  /// Each call makes a stream of its own. A reader that is slow loses the oldest events. It needs
  /// `subscribe`.
  ///
  /// - Parameter limit: how many unread events are kept.
  public func events(bufferingNewest limit: Int = 256) -> AsyncStream<PulseEvent> {
    let (thread, connection) = (connection.thread, connection)
    return connection.events.makeStream(limit: limit) { [weak connection] id in
      thread.add(.call { [weak connection] in connection?.events.remove(id) })
    }
  }

  /// Sets what is called once, on the loop's thread, when the connection ends.
  ///
  /// The error's code is `disconnected` where the server went, `closed` after `close`. Where the
  /// connection has ended already, the handler is called before this returns.
  public func setDisconnectHandler(_ handler: (@Sendable (PulseError) -> Void)?) {
    if case .ended(let error) = connection.state {
      handler?(error)
    } else {
      connection.disconnectHandler = handler
    }
  }
}
