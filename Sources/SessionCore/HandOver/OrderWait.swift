/// Decides how long to wait for a holder's answer to an order; a pure state machine.
///
/// Call `next` after each change of the lock's or the answer's file, when the holder's process has
/// ended, when the caller gives up, and when the alarm went off.
package struct OrderWait: Sendable {
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

  /// - Parameters:
  ///   - answer: the number of the order that was answered last.
  ///   - hasEnded: whether the holder's process has ended.
  ///   - isStopped: whether the caller no longer wants what it ordered.
  package mutating func next(
    _ lock: LockView, answer: Int?, hasEnded: Bool, isStopped: Bool, at now: Duration
  ) -> Action {
    if answer == number { return .answered }
    guard !hasEnded else { return .lookAgain }
    if isStopped, !isWithdrawn {
      isWithdrawn = true
      return .withdraw
    }
    if lock.isHeld(by: holder) {
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
