import Glibc
import PulseTypes
import SessionCore

extension AudioSession {
  /// Called on the loop's thread for each event of the server, and when it is lost.
  func noteChange() {
    guard isKept || owesRestoring || broadcast.hasReaders else { return }
    upkeep.pacer.noteChange(at: upkeep.now)
    schedule()
  }

  /// Whether the wish is made so again when something changes.
  var isKept: Bool { configuration.isHolding && lock != nil && isActive }

  /// Sees to it that the next look is taken when it is due; looks of a burst are one.
  func schedule() {
    guard !isClosed, let due = upkeep.nextLook(after: upkeep.now),
      upkeep.scheduled.map({ due < $0 }) ?? true
    else { return }
    upkeep.scheduled = due
    guard due > upkeep.now else {
      // With the session itself captured it begins on the session's thread, with no hop to a pool.
      Task { await self.look(dueAt: due) }
      return
    }
    let alarm = Deadline(after: max(.zero, due - upkeep.now))
    _ = alarm.onPassing(on: loop) { [weak self] in await self?.look(dueAt: due) }
  }

  /// Compares what is with what is wished, when no change of ours is under way.
  ///
  /// - Parameter alarm: the moment it was called for. In a burst that is put off; and a look that was
  ///   taken while this one waited for its turn has seen what it was for.
  private func look(dueAt alarm: Duration) async {
    if upkeep.scheduled == alarm { upkeep.scheduled = nil }
    guard upkeep.isDue(alarm) else { return schedule() }
    await takeTurn()
    defer {
      turns.pass()
      schedule()
    }
    guard upkeep.isDue(alarm) else { return }
    // Also where there is nothing to look at: what comes with the next connection is made anew whole, and
    // a look that stayed due would be called for again at once.
    upkeep.pacer.beginLook()
    guard !isClosed, let live else { return }
    upkeep.looks += 1
    guard await live.lost == nil else {
      // Not in this turn: who asks for something meanwhile gets an answer, and no wait.
      Task { await recover(from: live) }
      return
    }
    do throws(SessionError) {
      // The end of an interruption must not come before the event of what happened during it.
      if upkeep.hasResumed { await live.doubt() }
      try await live.refresh(rounds: 1, deadline: Deadline(after: configuration.timeout))
      try await live.tendPins(
        for: own?.mode, deadline: Deadline(after: configuration.timeout))
      await live.tendMemories()
      try await restoreWhatIsOwed()
      let snapshot = await live.snapshot
      let hasOtherDevices = lastSnapshot.map { snapshot.hasOtherDevices(than: $0) } ?? false
      lastSnapshot = snapshot
      noteRoute(snapshot.route)
      upkeep.manager.note(snapshot.sessionManager?.index, at: upkeep.now)
      if hasOtherDevices { emit(.devicesChanged) }
      upkeep.noteSpots(snapshot)
      let change = noteInterruptions(snapshot)
      let hasResumed = change == .ended || upkeep.hasResumed
      upkeep.hasResumed = false
      if isKept, !upkeep.interruptions.isInterrupted,
        mayReapply(afterRouteChange: hasOtherDevices || hasResumed)
      {
        // What PipeWire's session manager restores after its start is no more somebody's choice than
        // what a server restores: volumes too are put back for a while.
        let isNew = upkeep.manager.isNew(at: upkeep.now)
        try await reapply(live, isNew ? .reset : .upkeep)
      }
      // What went or came while it was put right would else be missed by the grace time.
      upkeep.noteSpots(await live.snapshot)
      if hasResumed, !upkeep.interruptions.isInterrupted { emit(.ended) }
      await publish(try await state(live, store(live)), isOurs: false)
      upkeep.pacer.endLook()
    } catch {
      upkeep.pacer.failLook(at: upkeep.now)
      if isKept, error.code != .cancelled { emit(.reapplyFailed(error)) }
    }
  }

  /// While something interrupts the session nothing is put back; that it is over is said once the
  /// whole mode is in force again.
  private func noteInterruptions(_ snapshot: ServerSnapshot) -> InterruptionWatch.Change? {
    let change = upkeep.interruptions.note(
      snapshot, wish: isKept ? own?.mode ?? AudioMode() : AudioMode(), process: getpid())
    if case .began = change { emit(change) }
    return change
  }

  /// Under `on-route-change` a default that changed with no device beside it is somebody's choice.
  private func mayReapply(afterRouteChange: Bool) -> Bool {
    switch own?.mode.reapply ?? .always {
    case .always: true
    case .onRouteChange: afterRouteChange
    case .never: false
    }
  }
}
