package import SessionCore

/// Decides whether and when a first apply is repeated, because its failure may end by itself.
///
/// A server that does not run yet or is too slow is awaited without limit, as it is once the
/// session holds; so is a missing device, and another holder. A refused step is repeated a few
/// times. Any other error, such as a bad profile, lasts until someone fixes it.
package struct StartBackoff {
  package static let longestPause = Duration.seconds(5)
  package static let mostRefusals = 5

  private var failures = 0
  private var refusals = 0
  private var lastMessage: String?

  package init() {}

  /// How long to wait before the next attempt; nil if there is none.
  package mutating func pause(after error: SessionError) -> Duration? {
    switch error.code {
    // The variable of a process does not change.
    case .serverUnreachable where error.property == SessionError.serverVariable: return nil
    case .serverUnreachable, .serverLost, .timedOut: break
    case .isBusy, .inputNotAvailable, .outputNotAvailable, .portNotAvailable: break
    case .refused:
      refusals += 1
      guard refusals <= Self.mostRefusals else { return nil }
    default: return nil
    }
    failures += 1
    return min(Self.longestPause, .milliseconds(250) * (1 << min(failures, 5)))
  }

  /// Whether the error differs from the last one.
  package mutating func isNews(_ error: SessionError) -> Bool {
    defer { lastMessage = error.message }
    return error.message != lastMessage
  }
}
