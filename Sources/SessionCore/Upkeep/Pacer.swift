/// Decides when a session looks at its server again: at once, when a burst has settled, or later.
///
/// Pure: time is a parameter, counted from any fixed moment. The first changes after a quiet time are
/// answered at once, each with a look; those that go on coming are a burst, and wait until it has been
/// quiet, but not for ever; after a failure the pause doubles. Nothing is scheduled while nothing changes, so an idle session sleeps.
public struct Pacer: Sendable, Hashable {
  /// After this long without a change a burst is over.
  public static let quiet = Duration.milliseconds(20)
  /// So many looks are taken at once before changes count as a burst: a program that changes one
  /// thing makes a few events around it.
  public static let freeLooks = 4
  /// A burst is looked at after this time even if it goes on.
  public static let longestBurst = Duration.milliseconds(250)
  /// The first pause after a failure.
  public static let firstPause = Duration.milliseconds(10)
  /// The longest pause after failures.
  public static let longestPause = Duration.seconds(1)

  private var lastChange: Duration?
  /// The looks since it was quiet.
  private var looks = 0
  private var burstBegan: Duration?
  private var due: Duration?
  private var failures = 0
  private var pausedUntil: Duration = .zero

  /// Begins with nothing to do.
  public init() {}

  /// When to look next; nil where nothing calls for it.
  public var nextLook: Duration? { due.map { max($0, pausedUntil) } }

  /// Something changed on the server.
  public mutating func noteChange(at now: Duration) {
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

  /// A look begins: it answers every change so far. One that comes meanwhile calls for the next.
  public mutating func beginLook() {
    looks += 1
    burstBegan = nil
    due = nil
  }

  /// The look is over, and what was to be done was done.
  public mutating func endLook() {
    failures = 0
    pausedUntil = .zero
  }

  /// The look is over, and something failed: it is tried again after a pause.
  public mutating func failLook(at now: Duration) {
    pausedUntil = now + min(Self.firstPause * (1 << min(failures, 10)), Self.longestPause)
    failures += 1
    due = due ?? pausedUntil
  }
}
