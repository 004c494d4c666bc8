package import SessionCore

/// Whether a first apply is tried again, and when: what failed may pass by itself.
///
/// A server that is not there yet, or too slow, is waited for without end, as it is once the session
/// holds; so is a device that is not plugged in, and another holder. A refusal is tried again a few times. The rest, such as
/// a bad profile, stays as it is until someone changes it.
package struct StartBackoff {
  package static let longestPause = Duration.seconds(5)
  package static let mostRefusals = 5

  private var failures = 0
  private var refusals = 0
  private var lastMessage: String?

  package init() {}

  /// How long to wait before the next try; nil where there is to be none.
  package mutating func pause(after error: SessionError) -> Duration? {
    switch error.code {
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

  /// Whether it says something else than the last one.
  package mutating func isNews(_ error: SessionError) -> Bool {
    defer { lastMessage = error.message }
    return error.message != lastMessage
  }
}
