struct Line: Sendable, Equatable, ExpressibleByArrayLiteral {
  var spans: [Span]

  init(_ spans: [Span]) { self.spans = spans }

  init(arrayLiteral elements: Span...) { spans = elements }

  init(_ text: String, _ style: Style = .plain) { spans = [Span(text, style)] }

  static let empty = Line([])

  var width: Int { spans.reduce(0) { $0 + $1.width } }

  /// The rows that it takes on a screen.
  func rows(in columns: Int) -> Int { max(1, (width - 1) / columns + 1) }

  /// The beginning that fits into so many columns.
  func clipped(to columns: Int) -> Line {
    var room = columns
    return Line(
      spans.map { span in
        let text = span.text.prefix { character in
          room -= character.displayWidth
          return room >= 0
        }
        return Span(String(text), span.style)
      })
  }

  /// The line with spaces in place of the branches of a tree.
  var undrawn: Line {
    guard let first = spans.first, first.text.contains("─") || first.text.contains("│"),
      first.text.allSatisfy({ "├└─│ ".contains($0) })
    else { return self }
    return Line([Span(String(repeating: " ", count: first.width))] + spans.dropFirst())
  }

  /// The line as text, without trailing spaces.
  func rendered(colour: Bool) -> String {
    var kept = spans
    while let last = kept.last, last.text.allSatisfy({ $0 == " " }) { kept.removeLast() }
    if let last = kept.popLast() {
      let end = last.text.lastIndex { $0 != " " } ?? last.text.startIndex
      kept.append(Span(String(last.text[...end]), last.style))
    }
    return kept.map { span in
      guard colour, span.style != .plain, !span.text.isEmpty else { return span.text }
      return "\u{1b}[\(span.style.rawValue)m\(span.text)\u{1b}[0m"
    }.joined()
  }
}

extension [Line] {
  /// The lines as one text that ends with a line end.
  func rendered(colour: Bool) -> String {
    map { $0.rendered(colour: colour) + "\n" }.joined()
  }
}

extension String {
  /// Columns on a screen: East Asian characters and pictures take two, marks on others none.
  var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }
}

extension Character {
  var displayWidth: Int {
    let scalar = unicodeScalars.first!
    guard scalar.value >= 0x300 else { return 1 }
    if scalar.properties.generalCategory == .nonspacingMark { return 0 }
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
