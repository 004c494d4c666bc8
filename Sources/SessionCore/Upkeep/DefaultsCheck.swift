/// Decides when a session asks through a new connection which devices are the defaults: one that holds, or
/// whose events or states are read.
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
  /// - Parameters:
  ///   - isNeeded: whether a mode or a reader depends on it, on a server that needs the check.
  ///   - isHolder: whether looks are checked, too. There may be many readers, and each check is a client.
  package mutating func beginLook(
    at now: Duration, isNeeded: Bool, isHolder: Bool = true
  ) -> Bool {
    guard isNeeded else {
      last = nil
      return false
    }
    let pause = isHolder ? Self.pause : Self.interval
    guard last.map({ now - $0 >= pause }) ?? true else { return false }
    last = now
    return true
  }
}
