/// Decides how long to wait for a holder's answer to an order; a pure state machine.
///
/// Call `next` after each change of the lock's or the answer's file, when the holder's process has
/// ended, when the caller gives up, and when the alarm went off.
package struct OrderWait: Sendable {
  /// What is known at a moment.
  package struct Look: Sendable {
    package var lock: LockView
    /// The number of the order that was answered last.
    package var answer: Int?
    /// Whether the holder's process has ended.
    package var hasEnded: Bool
    /// Whether the caller no longer wants what it ordered.
    package var isStopped: Bool

    package init(lock: LockView, answer: Int?, hasEnded: Bool, isStopped: Bool) {
      (self.lock, self.answer, self.hasEnded) = (lock, answer, hasEnded)
      self.isStopped = isStopped
    }
  }

  package enum Action: Sendable, Hashable {
    case answered
    /// Keep waiting for an event or the alarm.
    case wait(alarm: Duration?)
    /// Withdraw the order, and keep waiting: the holder restores the previous setup, and answers.
    case withdraw
    /// The holder no longer holds: look for another one, or do the work here.
    case lookAgain
  }

  /// A holder that releases the lock answers at once, before or after.
  private static let grace = Duration.seconds(1)

  private let holder: Int32
  private let number: Int
  private var end: Duration?
  private var isWithdrawn = false

  package init(holder: Int32, number: Int) { (self.holder, self.number) = (holder, number) }

  package mutating func next(_ look: Look, at now: Duration) -> Action {
    if look.answer == number { return .answered }
    guard !look.hasEnded else { return .lookAgain }
    if look.isStopped, !isWithdrawn {
      isWithdrawn = true
      return .withdraw
    }
    if look.lock.isHeld(by: holder) {
      end = nil
      return .wait(alarm: nil)
    }
    let end = end ?? now + Self.grace
    self.end = end
    return end > now ? .wait(alarm: end - now) : .lookAgain
  }
}

extension LockView {
  /// Whether a process holds the lock, at a glance.
  package func isHeld(by process: Int32) -> Bool { isTaken && record.owner?.pid == process }
}
