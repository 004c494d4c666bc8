import SessionCore

/// A page of the documentation, in the subset of Markdown that the reference pages use.
struct Page: Sendable {
  enum Block: Sendable, Equatable {
    case heading(String)
    case paragraph(String)
    /// Items with their bullets or numbers.
    case list([String])
    case code([String])
    /// Rows of cells, without the head.
    case table([[String]])
  }

  var title = ""
  /// The sentence below the title.
  var abstract = ""
  var blocks: [Block] = []

  init(_ markdown: String) {
    var parts: [[Substring]] = []
    var isCode = false
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isCode.toggle()
        if isCode { parts.append([line]) }
      } else if isCode {
        parts[parts.count - 1].append(line)
      } else if line.isEmpty || line.hasPrefix("<!--") {
        parts.append([])
      } else if parts.last?.first?.hasPrefix("```") != false {
        parts.append([line])
      } else {
        parts[parts.count - 1].append(line)
      }
    }
    for lines in parts where !lines.isEmpty { add(lines) }
  }

  private mutating func add(_ lines: [Substring]) {
    let text = lines.joined(separator: " ")
    if lines[0].hasPrefix("```") {
      if lines[0] != "```swift" {
        blocks.append(.code(lines.dropFirst().map(String.init)))
      } else if case .paragraph(let text) = blocks.last, text.hasSuffix(":") {
        // Swift examples are only for the web pages, including the sentence before them.
        blocks.removeLast()
      }
    } else if text.hasPrefix("# ") {
      title = String(text.dropFirst(2))
    } else if abstract.isEmpty {
      abstract = text
    } else if text.hasPrefix("#") {
      let heading = text.drop { $0 == "#" }.dropFirst()
      if heading != "Overview" { blocks.append(.heading(String(heading))) }
    } else if text.hasPrefix("| ") {
      blocks.append(.table(lines.dropFirst(2).map(Self.cells)))
    } else if text.hasPrefix("- ") || text.hasPrefix("1. ") {
      blocks.append(.list(Self.items(lines)))
    } else {
      blocks.append(.paragraph(text))
    }
  }

  private static func cells(_ row: Substring) -> [String] {
    row.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
      .map { String($0.trimmed) }
  }

  private static func items(_ lines: [Substring]) -> [String] {
    lines.reduce(into: []) { items, line in
      if line.hasPrefix(" "), let last = items.popLast() {
        items.append(last + " " + line.trimmed)
      } else {
        items.append(String(line))
      }
    }
  }
}
