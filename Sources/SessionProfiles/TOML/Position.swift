/// A place in a text, counted from 1; columns count Unicode scalars, as the parser's do.
struct Position: Sendable, Hashable, Comparable {
  var line = 1
  var column = 1

  static func < (a: Position, b: Position) -> Bool { (a.line, a.column) < (b.line, b.column) }
}
