/// Decides how long to wait for a holder's answer to an order; a pure state machine.
///
/// Call `next` after each change of the lock's or the answer's file, and when the alarm went off.
package struct OrderWait: Sendable {
  package enum Action: Sendable, Hashable {
    /// Keep waiting for an event or the alarm.
    case wait(alarm: Duration?)
    /// The holder no longer holds: look for another one, or do the work here.
    case lookAgain
  }

  /// A holder that releases the lock answers at once, before or after.
  private static let grace = Duration.seconds(1)

  private let holder: Int32
  private var end: Duration?

  package init(holder: Int32) { self.holder = holder }

  package mutating func next(_ view: LockView, at now: Duration) -> Action {
    if view.isHeld(by: holder) {
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
