import AudioSession

/// A failure for people: what was wrong, and what would work, one a line.
enum ErrorView {
  static func lines(_ error: SessionError, width: Int?) -> [Line] {
    let name = Span("audiosession: ", .red)
    var lines = Layout.wrap(error.message, indent: name.width, width: width)
    if !lines.isEmpty { lines[0].spans[0] = name }
    for alternative in error.alternatives {
      lines += Layout.wrap(alternative, indent: 2, width: width)
    }
    return lines
  }
}
