public import SessionCore

/// A change that a session is asked to make.
public enum SessionChange: Sendable, Hashable {
  /// A wish is applied; the name of the profile that it came from.
  case apply(profile: String?)
  /// What was before is restored.
  case revert
}

/// Called around each change that a session makes because it was asked to, by its own program or by
/// an order of another process.
///
/// The process that does the work is the one whose observer is called, once; a change that is handed
/// to a holder calls none here. Upkeep is no change.
public struct SessionObserver: Sendable {
  /// Called under the session's lock before anything is planned, with the state as it is; the change
  /// waits for it, and its time counts.
  public var willChange: @Sendable (SessionChange, SessionState) async -> Void
  /// Called when it is done, with the state after or why it failed; must not wait for the session.
  public var didChange: @Sendable (SessionChange, Result<SessionState, SessionError>) -> Void

  /// Makes an observer.
  public init(
    willChange: @escaping @Sendable (SessionChange, SessionState) async -> Void,
    didChange:
      @escaping @Sendable (SessionChange, Result<SessionState, SessionError>) -> Void
  ) {
    self.willChange = willChange
    self.didChange = didChange
  }
}

extension SessionChange {
  /// The change that an order asks for; nil where it asks for none.
  init?(_ order: Order.Kind) {
    switch order {
    case .apply(_, let profile): self = .apply(profile: profile)
    case .revert: self = .revert
    case .takeOver: return nil
    }
  }
}

extension AudioSession {
  /// Runs a change between the observer's two calls.
  func observing(
    _ order: Order.Kind, _ live: LiveServer, _ store: SessionStore,
    _ change: () async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    guard let observer = configuration.observer, let what = SessionChange(order) else {
      return try await change()
    }
    if let before = try? await state(live, store) { await observer.willChange(what, before) }
    do throws(SessionError) {
      let report = try await change()
      observer.didChange(what, .success(report.state))
      return report
    } catch {
      observer.didChange(what, .failure(error))
      throw error
    }
  }
}
