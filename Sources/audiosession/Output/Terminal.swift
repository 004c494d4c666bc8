import Glibc
import POSIX

/// What is at the other end of a descriptor: whether a person reads there, in how many columns.
struct Terminal: Sendable, Equatable {
  /// Whether to use colors.
  var hasColour: Bool
  /// The number of columns; nil if the output is not on a screen, and is not wrapped.
  var width: Int?

  /// Lines of the screen.
  var height = 24

  /// Whether lines can be drawn over; otherwise they follow each other.
  var canMove = false

  /// Whether a person reads the output on a screen.
  var isPerson: Bool { width != nil }

  /// The kind of a file that is not a terminal.
  static let plain = Terminal(hasColour: false, width: nil)
}

extension Terminal {
  /// Inspects a descriptor of this process.
  init(descriptor: Int32) {
    guard isatty(descriptor) == 1 else {
      self = .plain
      return
    }
    let isDumb = ProcessEnvironment["TERM"] == "dumb"
    let noColour = ProcessEnvironment["NO_COLOR"] != nil || isDumb
    // Both are zero if they are unknown.
    var size = winsize()
    _ = ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    let columns =
      size.ws_col > 0 ? Int(size.ws_col) : ProcessEnvironment["COLUMNS"].flatMap { Int($0) }
    self.init(hasColour: !noColour, width: max(20, columns ?? 80))
    if size.ws_row > 0 { height = Int(size.ws_row) }
    canMove = !isDumb
  }
}
