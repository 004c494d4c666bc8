extension Page {
  /// The page for a terminal.
  func lines(width: Int?) -> [Line] {
    var result = [Line(title, .bold), .empty]
    result += Self.wrap(abstract, indent: 0, width)
    for block in blocks {
      result.append(.empty)
      switch block {
      case .heading(let text): result.append(Line(text, .bold))
      case .paragraph(let text): result += Self.wrap(text, indent: 0, width)
      case .list(let items):
        for item in items { result += Self.wrap(item, indent: 2, width) }
      case .code(let lines): result += lines.map { Line("  " + $0) }
      case .table(let rows):
        for row in rows {
          let cells = row.filter { !$0.isEmpty }
          result += Self.wrap(cells[0], indent: 2, width, style: .bold)
          for cell in cells.dropFirst() { result += Self.wrap(cell, indent: 6, width) }
        }
      }
    }
    return result
  }

  private static func wrap(
    _ text: String, indent: Int, _ width: Int?, style: Style = .plain
  ) -> [Line] {
    let text = PageSpan.parse(text).map(\.text).joined()
    return Layout.wrap(text, indent: indent, width: width, style: style)
  }

  /// The page in the format of `man`.
  func manual(name: String, section: Int) -> String {
    var lines = [
      ".TH \(name.uppercased()) \(section) \"\" \"audiosession \(programVersion)\"",
      // Keys and commands are neither hyphenated nor justified.
      ".nh", ".ad l", ".SH NAME", "\(name) \\- \(Self.roff(abstract, startsLine: false))",
      ".SH DESCRIPTION",
    ]
    for block in blocks {
      switch block {
      case .heading(let text): lines.append(".SH \(Self.roff(text.uppercased()))")
      case .paragraph(let text): lines += [".PP", Self.roff(text)]
      case .list(let items): for item in items { lines += [".PP", Self.roff(item)] }
      case .code(let code):
        lines += [".PP", ".nf"] + code.map { ManualPage.line($0) } + [".fi"]
      case .table(let rows):
        for row in rows {
          let cells = row.filter { !$0.isEmpty }.map { Self.roff($0) }
          lines += [".TP", cells[0]] + cells.dropFirst().flatMap { [".br", $0] }.dropFirst()
        }
      }
    }
    lines += [".SH SEE ALSO", ".BR audiosession (1)"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func roff(_ text: String, startsLine: Bool = true) -> String {
    let text = PageSpan.parse(text).map { span in
      switch span {
      case .plain(let text): ManualPage.escaped(text)
      case .code(let text), .strong(let text): "\\fB\(ManualPage.escaped(text))\\fR"
      }
    }.joined()
    return startsLine && (text.hasPrefix(".") || text.hasPrefix("'")) ? "\\&" + text : text
  }
}
