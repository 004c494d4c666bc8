import Glibc
import Pulse
import PulseTypes
import SessionCore

extension AudioSession {
  /// Called on the loop's thread for each event of the server, and when the connection is lost.
  func noteChange() {
    guard life.duty != nil || !readers.isEmpty else { return }
    upkeep.noteChange()
    schedule()
  }

  var isKept: Bool { life.isKept }

  /// Whether to check the defaults now: the server may stop reporting them, and a mode or a reader depends
  /// on them.
  private func checkDefaults(_ snapshot: ServerSnapshot?) -> Bool {
    let isNeeded =
      !life.isClosed && (isKept || !readers.isEmpty) && snapshot?.has(.forgottenDefaults) == true
    return upkeep.rules.defaults.beginLook(at: upkeep.now, isNeeded: isNeeded, isHolder: isKept)
  }

  /// Lets the defaults be checked from now on, if they need it.
  func beginDefaultsCheck(_ snapshot: ServerSnapshot?) {
    if checkDefaults(snapshot) { schedule() }
  }

  /// Schedules the next look for when it is due; a burst of changes gets one look.
  func schedule() {
    // A look that is due now begins next, and schedules those after it: most events of a burst.
    guard !life.isClosed, !upkeep.isScheduled(by: upkeep.now),
      let due = upkeep.rules.nextLook, !upkeep.isScheduled(by: due)
    else { return }
    upkeep.alarms.append(due)
    guard due > upkeep.now else {
      loop.task { await self.look(dueAt: due) }
      return
    }
    let alarm = Deadline(after: max(.zero, due - upkeep.now))
    _ = alarm.onPassing(on: loop) { [weak self] in await self?.look(dueAt: due) }
  }

  /// Compares the server with the mode while no change of ours is in progress.
  ///
  /// - Parameter alarm: when this look was due. A burst postpones it, and a look that ran meanwhile
  ///   replaces it.
  private func look(dueAt alarm: Duration) async {
    upkeep.alarms.firstIndex(of: alarm).map { _ = upkeep.alarms.remove(at: $0) }
    // The clock may be read a moment before the alarm.
    guard !upkeep.isLookWaiting, upkeep.rules.isDue(at: max(alarm, upkeep.now)) else {
      return schedule()
    }
    upkeep.isLookWaiting = true
    await queue.turns.take()
    upkeep.isLookWaiting = false
    defer {
      queue.turns.pass()
      schedule()
    }
    let now = max(alarm, upkeep.now)
    guard upkeep.rules.isDue(at: now) else { return }
    // Even if there is nothing to look at: the next connection applies everything, and a look that
    // remained due would be scheduled again at once.
    upkeep.rules.beginLook(at: now)
    let checksDefaults = checkDefaults(broadcast.shown.snapshot)
    guard !life.isClosed, let live else { return }
    upkeep.looks += 1
    guard await live.lost == nil else {
      // Outside this turn, so that other calls get an answer in the meantime without waiting.
      loop.task { await self.recover(from: live) }
      return
    }
    // A session of one program switches no card.
    if upkeep.noteSleep(), isKept, scope == .server {
      loop.task { await self.reviveDevices(of: live) }
    }
    do throws(SessionError) {
      // Rereads first: the end of an interruption must not precede the events from during it.
      if upkeep.rules.news.contains(.interruptionEnd) { await live.doubt() }
      try await live.refresh(rounds: 1, deadline: Deadline(after: configuration.timeout))
      // Without its session manager PipeWire answers and acts on nothing: all waits for its return.
      upkeep.rules.noteReading(await live.snapshot, at: upkeep.now)
      guard await !live.snapshot.lacksSessionManager else {
        await publish(try await state(live, store(live)), isOurs: false)
        return upkeep.rules.pacer.endLook()
      }
      try await live.tendPins(
        for: life.mode?.mode, deadline: Deadline(after: configuration.timeout))
      await live.tendMemories()
      try await restoreWhatIsOwed()
      let (snapshot, shown) = (await live.snapshot, broadcast.shown.snapshot)
      // To release large lists takes time, which no write waits for.
      defer { withExtendedLifetime(shown) {} }
      broadcast.shown.snapshot = snapshot
      if upkeep.portOverride != .none { noteRoute(try await state(live, store(live)).route) }
      let sight = upkeep.rules.see(
        snapshot, after: shown, &life, inEffect: interruptibleMode, preferences: life.mode?.mode,
        process: getpid(), at: upkeep.now)
      if sight.hasOtherDevices { emit(.devicesChanged) }
      if case .began? = sight.interruption { emit(sight.interruption) }
      switch sight.work {
      case .reapply(_, let occasion): try await reapply(live, occasion)
      case .treatOthers: try await reapply(live, .upkeep, onlyForOthers: true)
      case .restoreReturned: try await restoreReturned(live)
      case .restore, nil: break
      }
      // Otherwise flap detection would miss devices that changed during the reapply.
      upkeep.noteAttachments(await live.snapshot)
      if upkeep.rules.didWork() { emit(.ended) }
      await publish(try await state(live, store(live)), isOurs: false)
      upkeep.rules.pacer.endLook()
      // Beside everything else, because it takes as long as a few buffers.
      if isKept { loop.task { if await live.findsOtherCycles() { await self.noteChange() } } }
      // Last: nothing that the server did report waits for it.
      if checksDefaults, await live.findsOtherDefaults() {
        upkeep.noteChange()
      }
    } catch {
      upkeep.failLook()
      if isKept, error.code != .cancelled { emit(.reapplyFailed(error)) }
    }
  }

  /// The mode in effect, also if another session of this process maintains it.
  private var interruptibleMode: AudioMode {
    let isInEffect = isKept || life.isWaiting && upkeep.rules.interruptions.takeOver == nil
    return isInEffect ? modeInEffect ?? AudioMode() : AudioMode()
  }

  /// Nothing is restored during an interruption. Its end is reported once the whole mode is in
  /// effect again.
  func noteInterruptions(_ snapshot: ServerSnapshot) -> InterruptionWatch.Change? {
    let change = upkeep.rules.interruptions.note(
      snapshot, mode: interruptibleMode, process: getpid(), at: upkeep.now)
    if case .began = change { emit(change) }
    return change
  }
}
