/// A tree diagram: a line, and below it its children.
struct Tree {
  /// What it is, in a word: `card`, `sink`.
  var kind: String
  var name: String
  var style = Style.plain
  /// The text beside the name, or below it if both do not fit.
  var detail = ""
  var children: [Tree] = []

  func lines(width: Int?) -> [Line] { lines(width: width, head: "", body: "") }

  /// - Parameters:
  ///   - head: the text before the first line.
  ///   - body: the text before the other lines.
  private func lines(width: Int?, head: String, body: String) -> [Line] {
    let margin = Span(body + (children.isEmpty ? "   " : "│  "), .dim)
    var lines = Layout.wrap(
      name, after: Span(head, .dim), Span(kind.isEmpty ? "" : kind + " ", .dim), width: width,
      style: style)
    for at in lines.indices.dropFirst() { lines[at].spans[0] = margin }
    if !detail.isEmpty {
      let detail = Span(detail, .dim)
      if lines.count == 1, width.map({ lines[0].width + 2 + detail.width <= $0 }) ?? true {
        lines[0].spans += ["  ", detail]
      } else {
        lines += Layout.wrap(detail.text, indent: margin.width, width: width, style: .dim)
          .map { [margin] + $0.spans.dropFirst() }.map(Line.init)
      }
    }
    for (at, child) in children.enumerated() {
      let isLast = at == children.count - 1
      lines += child.lines(
        width: width, head: body + (isLast ? "└─ " : "├─ "), body: body + (isLast ? "   " : "│  "))
    }
    return lines
  }
}
