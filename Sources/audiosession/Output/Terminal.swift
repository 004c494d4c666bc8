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

  /// Whether a person reads the output on a screen.
  var isPerson: Bool { width != nil }

  /// The kind of a file that is not a terminal.
  static let plain = Terminal(hasColour: false, width: nil)

  init(hasColour: Bool, width: Int?) {
    self.hasColour = hasColour
    self.width = width
  }

  /// Inspects a descriptor of this process.
  init(descriptor: Int32) {
    guard isatty(descriptor) == 1 else {
      self = .plain
      return
    }
    let noColour = ProcessEnvironment["NO_COLOR"] != nil || ProcessEnvironment["TERM"] == "dumb"
    self.init(hasColour: !noColour, width: max(20, Self.columns(descriptor)))
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 {
      height = Int(size.ws_row)
    }
  }

  private static func columns(_ descriptor: Int32) -> Int {
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return ProcessEnvironment["COLUMNS"].flatMap { Int($0) } ?? 80
  }
}
