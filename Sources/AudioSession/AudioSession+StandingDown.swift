import SessionCore

/// The end of a mode, which no server can refuse.
extension AudioSession {
  /// Restores the previous setup and keeps the mode for later. Even if the server does not answer,
  /// the mode ends: it is not applied again, and a holding session restores the previous setup as
  /// soon as the server answers. The mode of a session that was taken over ends, too.
  func deactivate(_ budget: Budget) async throws(SessionError) -> ApplyReport {
    do throws(SessionError) {
      return try await restore(keepsMode: true, budget)
    } catch {
      let consequence: String
      switch error.code {
      case .serverUnreachable, .serverLost, .timedOut:
        consequence =
          "the former settings are restored "
          + (isHolder
            ? "as soon as the server answers"
            : "by '\(Words.command("audiosession revert", on: address))' when it answers")
      case .isBusy where life.isWaiting:
        consequence = "does not resume when that process ends"
      default: throw error
      }
      guard life.isActive || isHolder else { throw error }
      await standDown()
      var error = error
      error.message += "; the session is inactive now, and " + consequence
      throw error
    }
  }

  /// Ends the mode without a server, or without the lock.
  private func standDown() async {
    let isOfAnother = life.isWaiting
    life.standDown()
    upkeep.portOverride = .none
    guard !isOfAnother else {
      endTakenOver()
      return stopWaiting()
    }
    // A server that hung causes no event when it answers again.
    noteChange()
    let store = store(live)
    guard (try? store.mode())?.isActive == true else { return }
    var lock: SessionLock?
    if life.lock == nil, scope == .server {
      // A holder's file is its own.
      guard
        case .taken(let taken)? = try? await SessionLock.take(
          store.lockPath, isHolding: false, mustSign: false, on: loop,
          deadline: Deadline(after: .seconds(1)))
      else { return }
      lock = taken
    }
    defer { withExtendedLifetime(lock) {} }
    guard var stored = try? store.mode(), stored.isActive else { return }
    stored.isActive = false
    // If the store cannot be written, the mode still ends for this process.
    try? store.commit(stored, nil)
  }

  /// Restores what a deactivation without a server could not; call it in turn.
  func restoreWhatIsOwed() async throws(SessionError) {
    guard case .restore(let mode)? = life.duty else { return }
    _ = try await restore(
      keepsMode: mode != nil, owed: mode, Budget(configuration.timeout))
  }

  /// Opens the process's shared session again if it is used after `close`.
  func reopenIfShared() {
    if configuration.reopens { life.reopen() }
  }
}
