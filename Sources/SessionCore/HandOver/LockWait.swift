import PulseTypes

/// Decides when a waiting session may resume: one that another process interrupted, or one behind
/// another session of its own process. A pure state machine.
///
/// Call `next` after each event: the lock's file was closed after writing, the awaited process
/// ended, the alarm went off. In between nothing runs.
///
/// When the lock is free, the session that was interrupted last resumes first, and the others wait
/// for its end. They do not wait for one that does not take the lock in time (`Reservation`).
package struct LockWait: Sendable {
  package struct Action: Sendable, Hashable {
    /// Try to take the lock now.
    package var takes = false
    /// The process to watch for its end; nil for none.
    package var watched: Int32?
    /// When to call again if nothing happens first; nil if only an event can change something.
    package var alarm: Duration?
  }

  private let process: Int32
  private var reservation = Reservation(grace: .seconds(5))
  private var pauses = LockWait.newPauses
  private var seen: LockRecord?
  /// Until when the lock is left alone after it could not be taken, whatever happens to its file.
  private var notBefore: Duration?
  /// Processes whose end was reported: a reused number, or an end that shows late, must not prolong
  /// the wait.
  private var ended: Set<Int32> = []

  private static var newPauses: Pauses { Pauses(upTo: .seconds(1)) }

  package init(process: Int32) { self.process = process }

  /// Called when a watched process ended, or cannot be watched.
  package mutating func noteEnd(of process: Int32) { ended.insert(process) }

  package mutating func next(
    _ view: LockView, at now: Duration, isRunning: (Int32) -> Bool
  ) -> Action {
    if view.record != seen {
      seen = view.record
      ended = []
      // A try of our own that failed leaves a record, too.
      if view.record.releaser != process { (pauses, notBefore) = (Self.newPauses, nil) }
      // Another session may have had the lock since, unseen.
      reservation.forget()
    }
    let ended = ended
    func runs(_ process: Int32) -> Bool { !ended.contains(process) && isRunning(process) }
    guard !view.isTaken else {
      reservation.forget()
      if let owner = view.record.owner, runs(owner.pid) {
        return Action(watched: owner.pid == process ? nil : owner.pid)
      }
      // Another process has just taken it, or is inspecting it.
      return Action(alarm: pauses.next())
    }
    guard let next = view.record.next(runs), next != process,
      let remaining = reservation.remaining(for: next, at: now)
    else {
      guard let notBefore, now < notBefore else { return Action(takes: true) }
      return Action(alarm: notBefore - now)
    }
    return Action(watched: next, alarm: remaining)
  }

  /// Call this if the lock could not be taken after all.
  package mutating func noteRefused(at now: Duration) -> Action {
    let pause = pauses.next()
    notBefore = now + pause
    return Action(alarm: pause)
  }
}

extension LockRecord {
  /// The process that had the lock last, and released it.
  package var releaser: Int32? {
    if case .released(let process, _) = last { process } else { nil }
  }

  /// The process that should have the lock next; nil if there is none.
  func next(_ runs: (Int32) -> Bool) -> Int32? {
    if case .released(_, let taker?) = last, runs(taker) { return taker }
    return interrupted.first(where: runs)
  }
}
