/// Refuses texts that the parser does not survive, before it sees them.
///
/// The parser aborts the process where its assertions fail (a `}` that closes a `[`, a lone
/// carriage return in a table's head, a date that is none), and takes stack in proportion to the
/// depth of brackets and of dotted keys. No profile has any of these. Outside strings and comments
/// this sees the text as the parser does, up to the parser's first mistake.
struct ParserGuard {
  /// Deeper than any profile; brackets and the parts of one key are counted apart.
  static let limit = 24

  private var cursor: TextCursor
  private var open: [Unicode.Scalar] = []
  private var dots = 0
  /// Whether a key, not its value, may be here.
  private var isKey = true
  /// Of the word that the cursor is in: its digits so far, and whether it has nothing else.
  private var digits = 0
  private var isNumber = true

  private init(_ text: String) { cursor = TextCursor(text) }

  /// Throws the first thing that the parser must not see.
  static func check(_ text: String) throws(TOMLText.Failure) {
    var guardian = ParserGuard(text)
    while let scalar = guardian.cursor.peek { try guardian.step(scalar) }
  }

  private mutating func step(_ scalar: Unicode.Scalar) throws(TOMLText.Failure) {
    let start = cursor.position
    switch scalar {
    case "\"", "'":
      isNumber = false
      _ = cursor.quoted()
      return
    case "#":
      cursor.skipComment()
      return
    case "[" where isKey && open.isEmpty: return try header(start)
    case "[", "{":
      open.append(scalar)
      dots = 0
    case "]", "}":
      guard open.popLast() == (scalar == "]" ? "[" : "{") else {
        throw .init(position: start, message: "this is not TOML: '\(scalar)' closes nothing here")
      }
      dots = 0
    case ".": dots += 1
    case "\n", "=", ",":
      dots = 0
      if open.isEmpty { isKey = scalar == "\n" }
    case "\r":
      cursor.advance()
      guard cursor.peek == "\n" else {
        throw .init(position: start, message: "this is not TOML: a line ends in a lone CR")
      }
      return
    case "\t", " "..."~": break
    default:
      let shown = Text.visible(String(scalar))
      throw .init(
        position: start, message: "this is not TOML: '\(shown)' must be in quotes, if anywhere")
    }
    if open.count > ParserGuard.limit || dots > ParserGuard.limit {
      let limit = ParserGuard.limit
      throw .init(position: start, message: "nested more than \(limit) deep; no profile is")
    }
    try checkDate(scalar, start)
    cursor.advance()
  }

  /// Refuses `[` and `[[` without a name.
  private mutating func header(_ start: Position) throws(TOMLText.Failure) {
    for _ in 0..<2 where cursor.peek == "[" {
      open.append("[")
      cursor.advance()
    }
    dots = 0
    cursor.skipSpaces()
    guard let first = cursor.peek, KeyScanner.beginsKey(first) else {
      throw .init(position: start, message: "this is not TOML: a table needs a name")
    }
  }

  /// Refuses `2020-` and `12:`; nothing in a profile is a date or a time.
  private mutating func checkDate(
    _ scalar: Unicode.Scalar, _ start: Position
  ) throws(TOMLText.Failure) {
    if scalar == ":" {
      let message = "this is not TOML: ':' outside a string; a key has its value after '='"
      throw .init(position: start, message: message)
    }
    if scalar == "-", isNumber, digits == 4 {
      throw .init(position: start, message: "this is a date; nothing in a profile is")
    }
    switch scalar {
    case "0"..."9": digits += 1
    case "a"..."z", "A"..."Z", "_", "-", "+": isNumber = false
    default:
      digits = 0
      isNumber = true
    }
  }
}
