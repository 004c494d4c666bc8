/// Decides when a session looks at its server again: at once, after a burst, or later.
///
/// Pure: time is a parameter, counted from any fixed moment. The first changes after a quiet time
/// get a look each, at once. Further ones are a burst, which waits for a quiet moment, but not for
/// ever. After each failure the pause doubles. Without changes nothing is scheduled here, so an idle
/// session sleeps, but for ``DefaultsCheck``.
package struct Pacer: Sendable, Hashable {
  /// A burst ends after this time without a change.
  package static let quiet = Duration.milliseconds(20)
  /// The number of immediate looks before changes count as a burst: a program that changes one
  /// setting causes a few events.
  package static let freeLooks = 4
  /// A burst gets a look after this time even if it continues.
  package static let longestBurst = Duration.milliseconds(250)
  /// The first pause after a failure.
  package static let firstPause = Duration.milliseconds(10)
  /// The longest pause after failures.
  package static let longestPause = Duration.seconds(1)

  private var lastChange: Duration?
  /// The number of looks since the last quiet time.
  private var looks = 0
  private var burstBegan: Duration?
  private var due: Duration?
  private var failures = 0
  private var pausedUntil: Duration = .zero

  /// When to look next; nil if there is no reason to.
  package var nextLook: Duration? { due.map { max($0, pausedUntil) } }

  package mutating func noteChange(at now: Duration) {
    if lastChange.map({ now - $0 >= Self.quiet }) ?? true { looks = 0 }
    lastChange = now
    guard looks >= Self.freeLooks else {
      due = due ?? now
      return
    }
    let began = burstBegan ?? now
    burstBegan = began
    due = min(now + Self.quiet, began + Self.longestBurst)
  }

  /// Notes the begin of a look, which covers all changes so far. A later change needs the next
  /// look.
  package mutating func beginLook() {
    looks += 1
    burstBegan = nil
    due = nil
  }

  /// Notes the end of a successful look.
  package mutating func endLook() {
    failures = 0
    pausedUntil = .zero
  }

  /// Notes the end of a failed look, which is repeated after a pause.
  package mutating func failLook(at now: Duration) {
    pausedUntil = now + min(Self.firstPause * (1 << min(failures, 10)), Self.longestPause)
    failures += 1
    due = due ?? pausedUntil
  }
}
