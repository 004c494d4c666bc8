/// Somebody who gave a holder an order and waits for its answer; a state machine that performs nothing.
///
/// It is asked whenever the lock's file or the answer's changed, or its alarm went off.
package struct OrderWait: Sendable {
  package enum Action: Sendable, Hashable {
    /// Wait on, until something happens or the alarm goes off.
    case wait(alarm: Duration?)
    /// The holder holds no more: look for another, or do it oneself.
    case lookAgain
  }

  /// Who gives the lock back answers at once, before or after.
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
  /// Whether a process holds the lock, as far as a glance shows.
  package func isHeld(by process: Int32) -> Bool { isTaken && record.owner?.pid == process }
}
