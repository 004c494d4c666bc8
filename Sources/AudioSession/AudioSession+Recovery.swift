import Logging
import Pulse
import PulseTypes
import SessionCore

extension AudioSession {
  /// Gives a lost connection up; a holder then waits for the server to come back, and makes
  /// everything anew: no number survives a restart.
  ///
  /// Whoever notices it first does this, be it a call of the owner's that finds it so: what that call
  /// came to, and whether it made the wish so again, is not known here.
  func recover(from live: LiveServer) async {
    guard self.live === live else { return }
    await dropConnection()
    guard !upkeep.isRecovering else { return }
    upkeep.isRecovering = true
    emit(.serverLost)
    let (address, loop) = (SessionStore.canonical(live.address), loop)
    // A session that nobody has any more waits for nothing.
    Task { [weak self] in
      var backoff = ReconnectBackoff()
      while true {
        let watch = SocketWatch(address: address)
        guard await self?.reconnect(backoff.nextTry) == false else { return }
        backoff.noteFailure()
        backoff.notePause(hasAppeared: await watch.wait(atMost: backoff.pause, on: loop))
      }
    }
  }

  /// True when there is nothing left to recover.
  ///
  /// - Parameter patience: how long a connection may take.
  private func reconnect(_ patience: Duration) async -> Bool {
    await takeTurn()
    defer { turns.pass() }
    guard !isClosed, isHolder else {
      upkeep.isRecovering = false
      return true
    }
    let start = upkeep.now
    do throws(SessionError) {
      // Somebody's call may have connected meanwhile, and have read only; and that connection may be
      // lost again.
      let live = try await connected(Deadline(after: min(patience, configuration.timeout)))
      try await restoreWhatIsOwed()
      if isKept, own?.mode.reapply != .never { try await reapply(live, .reset) }
      // Lost again meanwhile: who noticed left it to this.
      guard await live.lost == nil else {
        await dropConnection()
        return false
      }
      upkeep.resets += 1
      upkeep.isRecovering = false
      try await live.tendPins(
        for: own?.mode, deadline: Deadline(after: configuration.timeout))
      let snapshot = await live.snapshot
      lastSnapshot = snapshot
      if snapshot.has(.sessionManager) { upkeep.manager.noteReset(at: upkeep.now) }
      emit(.serverReset(upkeep.now - start))
      await publish(try await state(live, store(live)), isOurs: true)
      upkeep.pacer.endLook()
      return true
    } catch {
      // Stopped for a call that waits: this goes on after it.
      if error.code == .cancelled { return false }
      configuration.logger?.debug("not reconnected", metadata: ["error": "\(error.message)"])
      await dropConnection()
      // A private server that was thrown away, with all that was kept of it: it does not come back.
      guard store(nil).isThere || orders.watch == nil else {
        Task { await close() }
        return true
      }
      return false
    }
  }
}
