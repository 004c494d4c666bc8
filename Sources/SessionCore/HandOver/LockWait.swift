/// A session that waits until it may go on: one that another process interrupted, or one behind another
/// of its own process. A state machine that performs nothing.
///
/// It is asked whenever something happened: the lock's file was closed by who wrote it, the process that
/// it waits for ended, its alarm went off. While nothing happens nothing runs.
///
/// When the lock is free, the last interrupted goes on first, and the others wait until that one ends;
/// who does not take it in time (`Reservation`) is not waited for.
package struct LockWait: Sendable {
  package struct Action: Sendable, Hashable {
    /// Try to take the lock now.
    package var takes = false
    /// The process whose end is of interest; nil where none is.
    package var watched: Int32?
    /// When to ask again if nothing happens before; nil where only an event can change something.
    package var alarm: Duration?

    package init(takes: Bool = false, watched: Int32? = nil, alarm: Duration? = nil) {
      (self.takes, self.watched, self.alarm) = (takes, watched, alarm)
    }
  }

  private let process: Int32
  private var reservation = Reservation(grace: .seconds(5))
  private var pauses = LockWait.newPauses
  private var seen: LockRecord?
  /// Those whose end was reported: a number that is used again, or an end that is seen late, is no reason to
  /// wait on.
  private var ended: Set<Int32> = []

  private static var newPauses: Pauses { Pauses(longest: .seconds(1)) }

  package init(process: Int32) { self.process = process }

  /// Called when a watched process ended, or cannot be watched.
  package mutating func noteEnd(of process: Int32) { ended.insert(process) }

  package mutating func next(
    _ view: LockView, at now: Duration, isRunning: (Int32) -> Bool
  ) -> Action {
    if view.record != seen {
      seen = view.record
      ended = []
      pauses = Self.newPauses
    }
    let ended = ended
    func runs(_ process: Int32) -> Bool { !ended.contains(process) && isRunning(process) }
    guard !view.isTaken else {
      reservation.forget()
      if let owner = view.record.owner, runs(owner.pid) {
        return Action(watched: owner.pid == process ? nil : owner.pid)
      }
      // Somebody has just taken it, or looks at it.
      return Action(alarm: pauses.next())
    }
    guard let next = view.record.next(runs), next != process,
      let remaining = reservation.remaining(for: next, at: now)
    else { return Action(takes: true) }
    return Action(watched: next, alarm: remaining)
  }

  /// Called when the lock was not to be had after all.
  package mutating func noteRefused() -> Action { Action(alarm: pauses.next()) }
}

extension LockRecord {
  /// Who is to have the lock next; nil where nobody is.
  fileprivate func next(_ runs: (Int32) -> Bool) -> Int32? {
    if case .released(_, let taker?) = last, runs(taker) { return taker }
    return interrupted.first(where: runs)
  }
}
