import POSIX
package import SessionCore

/// Called around each change that a session is asked to make, by its own program or by another
/// process's order.
///
/// Only the process that does the work calls its observer, once; handing a change to a holder calls
/// none here. Upkeep does not count as a change.
package struct SessionObserver: Sendable {
  /// Whether `willChange` has anything to do: only then is the state read for it.
  package var isAwaiting: @Sendable (SessionChange) -> Bool
  /// Called under the session's lock before planning, with the current state. The change waits for
  /// it, and its time counts.
  package var willChange: @Sendable (SessionChange, SessionState) async -> Void
  /// Called afterwards, with the new state or the error; must not wait for the session.
  package var didChange: @Sendable (SessionChange, Result<SessionState, SessionError>) -> Void

  package init(
    isAwaiting: @escaping @Sendable (SessionChange) -> Bool = { _ in true },
    willChange: @escaping @Sendable (SessionChange, SessionState) async -> Void,
    didChange:
      @escaping @Sendable (SessionChange, Result<SessionState, SessionError>) -> Void
  ) {
    self.isAwaiting = isAwaiting
    self.willChange = willChange
    self.didChange = didChange
  }
}

extension AudioSession {
  /// Runs a change between the two calls of the observer.
  func observing(
    _ order: Order.Kind, _ live: LiveServer, _ store: SessionStore,
    _ change: () async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    guard let observer = configuration.observer, let what = SessionChange(order) else {
      return try await change()
    }
    if observer.isAwaiting(what), let before = try? await state(live, store) {
      // Whatever a hook does takes no time of the session's thread.
      await withTaskExecutorPreference(globalConcurrentExecutor) {
        await observer.willChange(what, before)
      }
    }
    let result = await outcome(of: change)
    observer.didChange(what, result.map(\.state))
    return try result.get()
  }
}
