import Glibc

/// The argument parser's help, in the order of the documentation: a command's own options come before
/// those of every command, and groups of commands have plain titles.
enum HelpText {
  static func ordered(_ text: String) -> String {
    var sections = text.split(separator: "\n\n", omittingEmptySubsequences: false).map(String.init)
    if let shared = sections.firstIndex(where: { $0.hasPrefix(sharedTitle) }),
      let own = sections.firstIndex(where: { $0.hasPrefix("OPTIONS:") }), shared < own
    {
      sections.insert(sections.remove(at: shared), at: own)
    }
    return sections.map { section in
      guard let end = section.firstRange(of: " SUBCOMMANDS:\n") else { return section }
      return section[..<end.lowerBound] + ":\n" + section[end.upperBound...]
    }.joined(separator: "\n\n")
  }

  /// Lets the argument parser, which would end the process on a narrow screen (26 columns or less), write
  /// for one of 40 columns.
  static func makeRoom() {
    let columns = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    // Zero if it is unknown.
    let isNarrow = columns.map { $0 < 40 } ?? (1..<40).contains(size.ws_col)
    if isNarrow { setenv("COLUMNS", "40", 1) }
  }

  private static let sharedTitle = "OPTIONS FOR EVERY COMMAND:"
}
