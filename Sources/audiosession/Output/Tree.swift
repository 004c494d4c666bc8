/// A tree diagram: a line, and below it its children.
struct Tree {
  /// What it is, in a word: `card`, `sink`.
  var kind: String
  var name: String
  var style = Style.plain
  /// The text beside the name, or below it if both do not fit.
  var detail = ""
  var children: [Tree] = []

  /// The lines; names are shortened in the middle to fit.
  func lines(width: Int?) -> [Line] { lines(width: width, head: "", body: "") }

  /// - Parameters:
  ///   - head: the text before the first line.
  ///   - body: the text before the other lines.
  private func lines(width: Int?, head: String, body: String) -> [Line] {
    let start = head.count + (kind.isEmpty ? 0 : kind.count + 1)
    let title = Span(
      Layout.shorten(name, to: width.map { max(8, $0 - start) }), style)
    var first: Line = [Span(head, .dim), Span(kind.isEmpty ? "" : kind + " ", .dim), title]
    var lines: [Line] = []
    let margin = body + (children.isEmpty ? "   " : "│  ")
    if !detail.isEmpty {
      if width.map({ first.width + 2 + Span(detail).width <= $0 }) ?? true {
        first.spans += ["  ", Span(detail, .dim)]
      } else {
        lines = Layout.wrap(detail, indent: 0, width: width.map { max(16, $0 - margin.count) })
          .map { line in Line([Span(margin, .dim)] + line.spans.map { Span($0.text, .dim) }) }
      }
    }
    lines.insert(first, at: 0)
    for (at, child) in children.enumerated() {
      let isLast = at == children.count - 1
      lines += child.lines(
        width: width, head: body + (isLast ? "└─ " : "├─ "), body: body + (isLast ? "   " : "│  "))
    }
    return lines
  }
}
