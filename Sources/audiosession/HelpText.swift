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

  private static let sharedTitle = "OPTIONS FOR EVERY COMMAND:"
}
