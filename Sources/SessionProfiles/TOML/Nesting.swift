/// Measures how deep a text nests before the parser sees it.
///
/// Parsing and freeing deep nests takes stack in proportion, so ten thousand brackets or a key of
/// ten thousand parts would end the process instead of the command.
enum Nesting {
  /// Deeper than any profile; brackets and the parts of one key are counted apart.
  static let limit = 24

  /// Where the text first nests deeper than the limit.
  static func excess(in text: String) -> Position? {
    var cursor = TextCursor(text)
    var brackets = 0
    var dots = 0
    while let scalar = cursor.peek {
      let start = cursor.position
      switch scalar {
      case "\"", "'":
        _ = cursor.quoted()
        continue
      case "#":
        cursor.skipComment()
        continue
      case "[", "{":
        brackets += 1
        dots = 0
      case "]", "}":
        brackets = max(0, brackets - 1)
        dots = 0
      case ".": dots += 1
      case "\n", "=", ",": dots = 0
      default: break
      }
      if brackets > limit || dots > limit { return start }
      cursor.advance()
    }
    return nil
  }
}
