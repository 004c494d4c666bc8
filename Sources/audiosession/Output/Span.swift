/// A part of a line. Its text is safe to print, whatever its source.
struct Span: Sendable, Equatable, ExpressibleByStringInterpolation {
  let text: String
  let style: Style

  init(_ text: String, _ style: Style = .plain) {
    self.text = visible(text)
    self.style = style
  }

  init(stringLiteral value: String) { self.init(value) }

  /// Columns on a screen.
  var width: Int { text.displayWidth }

  /// The text with spaces up to a width.
  func padded(to width: Int) -> Span {
    Span(text + String(repeating: " ", count: max(0, width - self.width)), style)
  }
}
