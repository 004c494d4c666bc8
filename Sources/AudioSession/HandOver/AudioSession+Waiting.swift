import Glibc
import Logging
import POSIX
import Pulse
import SessionCore

/// What a session does that was taken over, or waits behind another one of its process: it watches the lock,
/// and resumes.
extension AudioSession {
  /// Passes the session to another process; the applied settings stay for it to change.
  func makeRoom(for taker: Int32, _ store: SessionStore) async {
    await takeTurnFromUpkeep()
    defer { queue.turns.pass() }
    guard isHolder, !Task.isCancelled else { return }
    emit(upkeep.rules.interruptions.begin(.takenOver(by: ProcessName.of(taker))))
    let mode = life.modeInEffect
    Self.takenOver.withLock { $0[store.lockPath] = mode }
    await live?.closePins()
    await hideMark()
    if case .server(let lock)? = life.lock { lock.pass(to: taker) }
    beginWaiting(store)
    if let live, let state = try? await state(live, store) { await publish(state, isOurs: true) }
  }

  /// Waits until the session may resume: it was taken over, or waits behind another one of this
  /// process.
  func beginWaiting(_ store: SessionStore) {
    orders.stopWaiting()
    upkeep.portOverride = .none
    life.wait(as: getpid())
    listen(store)
    // In a task of its own: if the lock is free already, it needs the turn, which the caller has.
    loop.task { await self.stepWaiting(store) }
  }

  /// Does not wait any more, because its mode has ended; a service waits for the next one.
  func stopWaiting() {
    guard life.isWaiting, !configuration.holdsWithoutMode else { return }
    orders.stopWaiting()
    life.release()
    emit(takeOverEnded())
  }

  /// A session that has the lock again, or does not wait for it any more, is not taken over.
  func takeOverEnded() -> InterruptionWatch.Change? {
    let takeOver = upkeep.rules.interruptions.takeOver
    return upkeep.rules.interruptions.end { $0 == takeOver }
  }

  /// Checks whether it may resume, and what to wait for otherwise.
  func stepWaiting(_ store: SessionStore, ended: Int32? = nil) async {
    let calls = SystemCalls()
    if let ended {
      life.noteEnd(of: ended)
      orders.end = nil
    }
    let view = calls.lookAtLock(store.lockPath)
    guard var action = life.nextWaiting(view, at: upkeep.now, isRunning: calls.isRunning) else {
      return
    }
    // Another session of this process was faster after a take-over, and holds for this one, too.
    if view.isHeld(by: calls.process), view.record.owner?.isHolding == true {
      emit(takeOverEnded())
    }
    if action.takes {
      guard await !goOn(store), let next = life.noteRefused(at: upkeep.now) else { return }
      action = next
    }
    wait(action, store)
  }

  private func wait(_ action: LockWait.Action, _ store: SessionStore) {
    orders.alarm?.cancel()
    orders.alarm = action.alarm.map { pause in
      Deadline(after: pause).onPassing(on: loop) { [weak self] in
        // In a new task, because its outcome may cancel this alarm.
        self?.loop.task { [weak self] in await self?.stepWaiting(store) }
      }
    }
    guard action.watched != orders.end?.process else { return }
    orders.end = nil
    guard let process = action.watched else { return }
    let watch = Watch.process(process, on: loop) { [weak self] in
      self?.loop.task { [weak self] in await self?.stepWaiting(store, ended: process) }
    }
    guard let watch else {
      // It has just ended, or cannot be watched.
      loop.task { await self.stepWaiting(store, ended: process) }
      return
    }
    orders.end = (process, watch)
  }

  /// Takes the lock again and applies the session's own mode; false if another process was faster.
  private func goOn(_ former: SessionStore) async -> Bool {
    await queue.turns.take()
    defer { queue.turns.pass() }
    guard !life.isClosed, life.isWaiting else { return true }
    // After a restart of the server there is no connection, and only a holder and readers look for one.
    do throws(SessionError) {
      _ = try await connected(Deadline(after: configuration.timeout))
    } catch {
      // A private server that was removed together with the store does not return.
      guard former.isThere else {
        loop.task { await self.close() }
        return true
      }
      noteWaiting(error.message)
      return false
    }
    // Another of its addresses may answer.
    let store = store(live)
    // One that holds through another address: the lock must not be signed before it ends.
    if let rival = await live?.snapshot.holder(beside: mark(store, isClaim: true)), !rival.isClaim,
      self.store(of: rival) != nil
    {
      noteWaiting("another session holds this server through another address")
      return false
    }
    let calls = SystemCalls()
    let owner = LockRecord.Owner.own(isHolding: true)
    var isAfterOther = false
    let lock: SessionLock?
    do throws(SessionError) {
      lock = try SessionLock.attempt(store.lockPath, owner, calls) { [now = upkeep.now] view in
        isAfterOther = view.record.interrupted.contains(calls.process)
        return life.mayTake(view, at: now, isRunning: calls.isRunning)
      }
    } catch {
      noteWaiting(error.message)
      return false
    }
    guard let lock else { return false }
    if let rival = await rival(store, Budget(configuration.timeout)) {
      noteWaiting("\(rival.owner.title) holds this server")
      return false
    }
    guard !life.isClosed else { return true }
    take(.server(lock))
    if upkeep.rules.interruptions.takeOver == nil {
      // It waited behind another session of its process, and declared its mode before that one's last.
      if !isAfterOther {
        continueStored(store)
      } else if let last = Self.takenOver.withLock({ $0[store.lockPath] }) {
        life.declare(last)
      }
    }
    beginHolding(store)
    setDamageAside(store)
    await applyAgain(store)
    return true
  }

  private func noteWaiting(_ reason: String) {
    guard orders.whyWaiting != reason else { return }
    orders.whyWaiting = reason
    configuration.logger?.warning(
      "the session still waits to resume, and tries again", metadata: ["reason": "\(reason)"])
  }

  /// The mode of the session of this process that was taken over last, by the lock's path.
  private static let takenOver = Guarded<[String: OwnMode?]>([:])

  /// The mode has ended although it was taken over: no other session of this process resumes with it.
  func endTakenOver() {
    let path = store(live).lockPath
    Self.takenOver.withLock { if $0[path] != nil { $0.updateValue(nil, forKey: path) } }
  }

  /// What is in effect since another session of this process held for both.
  private func continueStored(_ store: SessionStore) {
    guard life.isActive else { return }
    do throws(SessionError) {
      let stored = try store.mode()
      life.declare(
        stored.flatMap { $0.isActive ? OwnMode(mode: $0.mode, profile: $0.profile) : nil })
    } catch {
      configuration.logger?.debug("stored mode not read", metadata: ["error": "\(error.message)"])
    }
  }

  /// Whether the stored mode is in effect; one that cannot be read may be.
  private func mayBeInEffect(_ store: SessionStore) -> Bool {
    do throws(SessionError) { return try storedMode(store)?.isActive == true } catch { return true }
  }

  /// Stores the session's own mode in place of the one of the process that had taken it over.
  func replaceStored(with own: OwnMode, _ store: SessionStore) throws(SessionError) {
    guard upkeep.isStoredOfOther else { return }
    try store.commit(
      StoredMode(
        mode: own.mode, profile: own.profile,
        generation: store.generation().addingSaturating(1), isActive: true), nil)
    upkeep.isStoredOfOther = false
  }

  /// Applies the session's own mode once it has the lock again.
  func applyAgain(_ store: SessionStore) async {
    var isOver = takeOverEnded()
    if case .began? = isOver {
      // Another interruption lasts. A capture must know that it is another one.
      emit(isOver)
      isOver = nil
    }
    guard let own = life.modeInEffect else {
      if mayBeInEffect(store) {
        life.leaveInEffect()
      } else if !store.hasLostMode, let left = try? store.baseline() {
        // What the other process could not restore is restored when it can be.
        life.noteUnrestored(left)
      }
      emit(isOver)
      // Without a mode only a service holds.
      await release(live, keepsHolding: false)
      // What an earlier mode left may be there to restore.
      return noteChange()
    }
    do throws(SessionError) {
      upkeep.isStoredOfOther = true
      try replaceStored(with: own, store)
      guard let live, await live.lost == nil else {
        emit(isOver)
        return noteChange()
      }
      try await live.reread(deadline: Deadline(after: configuration.timeout))
      try await applyAgain(live)
      // A call may have taken its place.
      if !upkeep.rules.interruptions.isInterrupted { emit(isOver) }
      await publish(try await state(live, store), isOurs: true)
    } catch {
      // Stopped by a waiting call; continues after it.
      if error.code != .cancelled { emit(.reapplyFailed(error)) }
      if !upkeep.rules.interruptions.isInterrupted { emit(isOver) }
      // A server that restarts is met by the recovery.
      if let live, await live.lost == nil { upkeep.rules.news.insert(.reset) }
      upkeep.failLook()
      schedule()
    }
  }
}
