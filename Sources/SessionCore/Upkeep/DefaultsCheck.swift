/// Decides when a holder asks through a new connection which devices are the defaults.
///
/// PipeWire may stop reporting changes of the defaults to every program that is connected: its
/// `module-metadata` holds them back while a new program waits for the session manager's answer, and
/// waits for ever for one that ended in that moment. No event shows this, and the connection keeps
/// answering with the former defaults; a new one gets the right ones. So this check needs a time:
/// it comes along with a look at the server, and by itself when nothing else happens.
///
/// Pure: time is a parameter, as for ``Pacer``.
package struct DefaultsCheck: Sendable, Hashable {
  /// Without another reason to look, the defaults are read after this time.
  package static let interval = Duration.seconds(15)
  /// Looks in quick succession share one check.
  package static let pause = Duration.seconds(5)

  private var last: Duration?

  /// When to check even if nothing happens; nil if there is nothing to check.
  package var nextCheck: Duration? { last.map { $0 + Self.interval } }

  /// Notes a look, or the end of a change; true if the defaults are to be checked, too, after a look.
  ///
  /// - Parameter isNeeded: whether a session holds on a server that needs the check.
  package mutating func beginLook(at now: Duration, isNeeded: Bool) -> Bool {
    guard isNeeded else {
      last = nil
      return false
    }
    guard last.map({ now - $0 >= Self.pause }) ?? true else { return false }
    last = now
    return true
  }
}
