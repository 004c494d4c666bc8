import PulseTypes

/// Decides whether a process may try to take the lock now; a pure state machine.
package struct LockClaim {
  package enum Action: Sendable, Hashable {
    case take
    /// Another process has it for a moment, or has priority: look again.
    case wait(Duration)
    /// A holder has it, and keeps it.
    case held(LockRecord.Owner)
  }

  private let process: Int32
  private var reservation: Reservation
  private var pauses = Pauses(upTo: .milliseconds(50))

  /// - Parameter time: how long the process may try; it takes what is reserved for another one before that
  ///   ends.
  package init(process: Int32, within time: Duration = .seconds(4)) {
    self.process = process
    reservation = Reservation(grace: min(.seconds(2), time / 2))
  }

  package mutating func next(
    _ view: LockView, at now: Duration, isRunning: (Int32) -> Bool
  ) -> Action {
    if view.isTaken {
      // A process that has just taken it has not signed yet, and a command ends within
      // milliseconds.
      guard let owner = view.record.owner, owner.isHolding, isRunning(owner.pid) else {
        return .wait(pauses.next())
      }
      return .held(owner)
    }
    // Whoever takes over, or was interrupted last, takes it within milliseconds; a change before that would
    // be replaced at once.
    guard let next = view.record.next(isRunning), next != process,
      let remaining = reservation.remaining(for: next, at: now)
    else { return .take }
    return .wait(min(pauses.next(), remaining))
  }

  /// Call this if the lock could not be taken after all.
  package mutating func noteRefused() -> Duration { pauses.next() }
}
