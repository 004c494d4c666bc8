import AudioSession

/// A failure for people: what was wrong, and what would work, one a line.
enum ErrorView {
  static func lines(_ error: SessionError, width: Int?) -> [Line] {
    var lines = Layout.message(Span("audiosession: ", .red), error.message, width: width)
    for alternative in error.alternatives {
      lines += Layout.wrap(alternative, indent: 2, width: width)
    }
    return lines
  }
}
