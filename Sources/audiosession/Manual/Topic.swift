/// A topic of `audiosession help TOPIC` and its man page, made from pages of the documentation,
/// which are built into the program.
struct Topic: Sendable {
  let name: String
  let section: Int
  private let files: [[UInt8]]

  static let all = [
    Topic(
      name: "profile", section: 5,
      files: [PackageResources.ProfileFormat_md]),
    Topic(
      name: "json", section: 7,
      files: [PackageResources.JSON_md, PackageResources.Events_md, PackageResources.Verdicts_md]),
    Topic(name: "hooks", section: 7, files: [PackageResources.Hooks_md]),
  ]

  static func named(_ name: String) -> Topic? { all.first { $0.name == name } }

  /// The topic that the arguments request, with any options.
  static func asked(by arguments: [String]) -> Topic? {
    let words = UnknownCommand.words(in: arguments)
    return words.count == 2 && words[0] == "help" ? named(words[1]) : nil
  }

  /// The pages as one; all but the first are sections of it.
  var page: Page {
    let pages = files.map { Page(String(decoding: $0, as: UTF8.self)) }
    var page = pages[0]
    for other in pages.dropFirst() {
      page.blocks += [.heading(other.title), .paragraph(other.abstract)] + other.blocks
    }
    return page
  }

  func text(_ terminal: Terminal) -> String {
    page.lines(width: terminal.width ?? 80).rendered(colour: terminal.hasColour)
  }

  var manual: String { page.manual(name: "audiosession-\(name)", section: section) }
}
