import AudioSession
import SessionProfiles

/// A failure for users: what was wrong, and what would work, one per line; all mistakes of a
/// profile.
enum ErrorView {
  static func lines(_ failure: Failure, width: Int?) -> [Line] {
    let others = failure.mistakes.dropFirst().map(\.sessionError)
    return ([failure.error] + others).flatMap { lines($0, width: width) }
  }

  private static func lines(_ error: SessionError, width: Int?) -> [Line] {
    var lines = Layout.message(Span("audiosession: ", .red), error.message, width: width)
    for alternative in error.alternatives {
      lines += Layout.sentence(alternative, indent: 2, width: width)
    }
    return lines
  }
}
