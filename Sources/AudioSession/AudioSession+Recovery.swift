import Logging
import Pulse
import SessionCore

extension AudioSession {
  /// Gives up a lost connection; a holder then waits for the server to restart and applies
  /// everything again, because no index survives a restart.
  ///
  /// The first to notice the loss calls this, also a call of the owner. Whether that call applied
  /// the mode again is not known here.
  func recover(from live: LiveServer) async {
    guard self.live === live else { return }
    await dropConnection()
    // Only a holder looks at the next server by itself, and reports then what has ended.
    let isOver = isHolder ? nil : upkeep.rules.interruptions.noteLoss()
    guard !upkeep.isRecovering else { return emit(isOver) }
    upkeep.isRecovering = true
    upkeep.rules.noteLoss()
    // The new server knows nothing of what the old one asked for.
    if isHolder { noteCorkRequest(toPause: false) }
    emit(.serverLost)
    emit(isOver)
    let (address, loop) = (live.names.address, loop)
    // Does not retain the session: a released session waits for nothing.
    loop.task { [weak self] in
      var backoff = ReconnectBackoff()
      while true {
        let watch = SocketWatch(address: address)
        guard await self?.reconnect(backoff.nextTry) == false else { return }
        backoff.noteFailure()
        backoff.notePause(hasAppeared: await watch.wait(atMost: backoff.pause, on: loop))
      }
    }
  }

  /// Applies the whole mode to a server that was without it; during an interruption the look at its end
  /// does.
  func applyAgain(_ live: LiveServer) async throws(SessionError) {
    if noteInterruptions(await live.snapshot) == .ended {
      upkeep.rules.news.insert(.interruptionEnd)
      noteChange()
    }
    guard !upkeep.rules.interruptions.mayBeInterrupted else {
      upkeep.rules.news.insert(.reset)
      return schedule()
    }
    try await reapply(live, .reset)
  }

  /// Tries to reconnect; true when nothing is left to recover.
  ///
  /// - Parameter patience: how long a connection may take.
  private func reconnect(_ patience: Duration) async -> Bool {
    // Calls of a session that does not hold need not wait for the attempt.
    if !isHolder, !life.isClosed, !readers.isEmpty {
      let deadline = Deadline(after: min(patience, configuration.timeout))
      do throws(SessionError) { _ = try await connected(deadline) } catch { return false }
    }
    await queue.turns.take()
    defer { queue.turns.pass() }
    // A session that does not hold reconnects for its readers.
    guard !life.isClosed, isHolder || !readers.isEmpty else {
      upkeep.isRecovering = false
      // Also of a session that no longer holds.
      if !life.isClosed, live == nil { emit(upkeep.rules.interruptions.noteLoss()) }
      return true
    }
    let start = upkeep.now
    do throws(SessionError) {
      // Another call may have connected in the meantime, for reading only, and that connection may
      // be lost again.
      let live = try await connected(Deadline(after: min(patience, configuration.timeout)))
      // Readers get a state with that.
      let seen = await live.snapshot
      guard !isHolder || !seen.lacksSessionManager else { throw .noSessionManager }
      upkeep.rules.noteReset(seen, at: upkeep.now)
      try await restoreWhatIsOwed()
      if isKept, modeInEffect?.reapply != .never {
        try await applyAgain(live)
      } else if noteInterruptions(await live.snapshot) == .ended {
        upkeep.rules.news.insert(.interruptionEnd)
      }
      if isHolder {
        try await live.tendPins(
          for: life.mode?.mode, deadline: Deadline(after: configuration.timeout))
      }
      // Lost again in the meantime; whoever noticed left the recovery to this one.
      guard await live.lost == nil else {
        if self.live === live { await dropConnection() }
        return false
      }
      upkeep.resets += 1
      let state = try await state(live, store(live))
      upkeep.isRecovering = false
      let snapshot = await live.snapshot
      broadcast.shown.snapshot = snapshot
      upkeep.rules.noteReset(snapshot, at: upkeep.now)
      emit(.serverReset(upkeep.now - start))
      await publish(state, isOurs: isHolder)
      upkeep.rules.pacer.endLook()
      // What an ended mode left may be there to restore, and the end of an interruption to report.
      if !life.isActive || upkeep.rules.news.contains(.interruptionEnd) { noteChange() }
      return true
    } catch {
      // Stopped by a waiting call; the recovery continues after it.
      if error.code == .cancelled { return false }
      configuration.logger?.debug("not reconnected", metadata: ["error": "\(error.message)"])
      if let live, await live.lost == nil, error.stage == .session {
        // The server is back, and the session's own files or its plan are not: the looks continue with that.
        (upkeep.resets, upkeep.isRecovering) = (upkeep.resets + 1, false)
        upkeep.rules.noteReset(await live.snapshot, at: upkeep.now)
        emit(.serverReset(upkeep.now - start))
        emit(.reapplyFailed(error))
        if modeInEffect?.reapply != .never { upkeep.rules.news.insert(.reset) }
        upkeep.failLook()
        schedule()
        return true
      }
      await dropConnection()
      // A private server that was removed together with the store does not return. A session of one
      // program has no store.
      guard store(nil).isThere || scope == .application || !isHolder else {
        // A shared session may be opened again.
        upkeep.isRecovering = false
        Task { await close() }
        return true
      }
      return false
    }
  }
}
