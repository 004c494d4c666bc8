/// A place in a text, counted from 1; columns count Unicode scalars, as the parser's do.
package struct Position: Sendable, Hashable {
  package var line = 1
  package var column = 1

  package init(line: Int = 1) { self.line = line }
}
