import PulseTypes
import SessionCore

/// The end of a wish, which no server can refuse.
extension AudioSession {
  /// Restores what was before and keeps the wish for later. Where the server does not answer, the wish is
  /// out of force all the same: nothing of it is applied again, and a session that holds restores what
  /// was before as soon as the server answers.
  func deactivate(_ budget: Budget) async throws(SessionError) -> ApplyReport {
    do throws(SessionError) {
      let live = try await connected(budget.run)
      return try await restore(keeping: try currentWish(store(live)), budget)
    } catch {
      switch error.code {
      case .serverUnreachable, .serverLost, .timedOut: break
      default: throw error
      }
      guard isActive || isHolder else { throw error }
      standDown()
      var error = error
      error.message +=
        "; the session is inactive now, and what was before it is restored "
        + (isHolder ? "as soon as the server answers" : "by 'audiosession revert' when it answers")
      throw error
    }
  }

  /// Takes the wish out of force without a server.
  private func standDown() {
    isActive = false
    owesRestoring = isHolder
    held?.wish?.isActive = false
    let store = store(live)
    guard var wish = try? store.wish(), wish.isActive else { return }
    wish.isActive = false
    // With a store that cannot be written the wish is out of force as long as this process runs.
    try? store.commit(wish, nil)
  }

  /// Restores what a deactivation without a server left behind; in turn.
  func restoreWhatIsOwed() async throws(SessionError) {
    guard owesRestoring else { return }
    _ = try await restore(keeping: own, Budget(configuration.timeout))
    owesRestoring = false
  }

  /// Opens a session again that is used after its `close`, if it is the one that the process shares.
  func reopenIfShared() {
    guard isClosed, reopens, !isClosing else { return }
    isClosed = false
  }
}
