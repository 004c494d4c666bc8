/// Decides how long an attempt to reach a lost server may take, and how long to pause between
/// attempts.
///
/// Pure: the caller reports the results. Both times double up to a limit, so that a server that
/// stays away costs little, and a slow server gets enough time.
package struct ReconnectBackoff: Sendable, Hashable {
  /// The longest time of one attempt.
  package static let longestTry = Duration.seconds(60)
  /// The longest pause between two attempts.
  package static let longestPause = Duration.seconds(1)
  private static let shortestPause = Duration.milliseconds(1)

  /// The time limit of the next attempt.
  package private(set) var nextTry = Duration.milliseconds(500)
  /// The maximum pause after it.
  package private(set) var pause = shortestPause

  /// Begins for a server that was lost just now.
  package init() {}

  /// Notes a failed attempt: a pipewire-pulse that outlived pipewire may never answer its first
  /// clients.
  package mutating func noteFailure() { nextTry = min(nextTry * 2, Self.longestTry) }

  /// Notes the end of a pause.
  ///
  /// - Parameter hasAppeared: whether the socket appeared, which happens a moment before its server
  ///   listens.
  package mutating func notePause(hasAppeared: Bool) {
    pause = hasAppeared ? Self.shortestPause : min(pause * 2, Self.longestPause)
  }
}
