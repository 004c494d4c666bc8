/// Decides how long a session tries to reach a server that was lost, and how long it waits between tries.
///
/// Pure: who tries says how it went. Both times double up to a limit, so that a server that stays away
/// costs little, and one that is slow to answer gets its time.
public struct ReconnectBackoff: Sendable, Hashable {
  /// The longest that one try may take.
  public static let longestTry = Duration.seconds(60)
  /// The longest pause between two tries.
  public static let longestPause = Duration.seconds(1)
  private static let shortestPause = Duration.milliseconds(1)

  /// How long the next try may take.
  public private(set) var nextTry = Duration.milliseconds(500)
  /// How long to wait after it, at most.
  public private(set) var pause = shortestPause

  /// Begins with a server that was there a moment ago.
  public init() {}

  /// A try failed: a pipewire-pulse that outlived pipewire may never answer the first who come.
  public mutating func noteFailure() { nextTry = min(nextTry * 2, Self.longestTry) }

  /// The pause is over.
  ///
  /// - Parameter hasAppeared: whether it ended because there is a socket: that is there a moment
  ///   before its server listens.
  public mutating func notePause(hasAppeared: Bool) {
    pause = hasAppeared ? Self.shortestPause : min(pause * 2, Self.longestPause)
  }
}
