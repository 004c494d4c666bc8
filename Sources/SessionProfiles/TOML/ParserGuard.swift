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
  /// Whether a value may begin here.
  private var beginsValue = false

  private init(_ text: String) { cursor = TextCursor(text) }

  /// Throws the first thing that the parser must not see.
  static func check(_ text: String) throws(TOMLText.Failure) {
    var guardian = ParserGuard(text)
    while let scalar = guardian.cursor.peek { try guardian.step(scalar) }
  }

  private mutating func step(_ scalar: Unicode.Scalar) throws(TOMLText.Failure) {
    let start = cursor.position
    if beginsValue, "0"..."9" ~= scalar || scalar == "+" || scalar == "-" {
      return try number(start)
    }
    switch scalar {
    case "\"", "'":
      _ = cursor.quoted()
      beginsValue = false
      return
    case "#": return cursor.skipComment()
    case "[" where isKey && open.isEmpty: return try header(start)
    case "[", "{": open(scalar)
    case "]", "}": try close(scalar, start)
    case ".": dots += 1
    case "\n", "=", ",": separate(scalar)
    case "\r": return try lineEnd(start)
    case ":":
      let message = "this is not TOML: ':' outside a string; a key has its value after '='"
      throw .init(position: start, message: message)
    case "\t", " ": break
    case "!"..."~": beginsValue = false
    default:
      let shown = Text.visible(String(scalar))
      throw .init(
        position: start, message: "this is not TOML: '\(shown)' must be in quotes, if anywhere")
    }
    if open.count > ParserGuard.limit || dots > ParserGuard.limit {
      let limit = ParserGuard.limit
      throw .init(position: start, message: "nested more than \(limit) deep; no profile is")
    }
    cursor.advance()
  }

  private mutating func open(_ bracket: Unicode.Scalar) {
    open.append(bracket)
    dots = 0
    isKey = bracket == "{"
    beginsValue = !isKey
  }

  private mutating func close(
    _ bracket: Unicode.Scalar, _ start: Position
  ) throws(TOMLText.Failure) {
    guard open.popLast() == (bracket == "]" ? "[" : "{") else {
      throw .init(position: start, message: "this is not TOML: '\(bracket)' closes nothing here")
    }
    dots = 0
    isKey = false
    beginsValue = false
  }

  /// Passes what stands between keys and values.
  private mutating func separate(_ scalar: Unicode.Scalar) {
    dots = 0
    switch scalar {
    case "=":
      isKey = false
      beginsValue = true
    case ",":
      isKey = open.last == "{"
      beginsValue = open.last == "["
    default:
      guard open.isEmpty else { return }
      isKey = true
      beginsValue = false
    }
  }

  private mutating func lineEnd(_ start: Position) throws(TOMLText.Failure) {
    cursor.advance()
    guard cursor.peek == "\n" else {
      throw .init(position: start, message: "this is not TOML: a line ends in a lone CR")
    }
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

  /// Passes a number; refuses what only begins as one, and dates, of which a profile has none.
  ///
  /// The parser takes whatever has digits and hyphens in the places of a date for one, and reads on
  /// behind the space after it.
  private mutating func number(_ start: Position) throws(TOMLText.Failure) {
    beginsValue = false
    var last = cursor.advance()
    while let scalar = cursor.peek, !" \t\r\n,]}#".unicodeScalars.contains(scalar) {
      switch scalar {
      case "0"..."9", "a"..."z", "A"..."Z", "_", "+", ".": break
      case "-" where last == "e" || last == "E": break
      case "-", ":":
        throw .init(position: start, message: "this is a date; nothing in a profile is")
      default:
        let shown = Text.visible(String(scalar))
        let message = "this is not TOML: '\(shown)' in a number; a text must be in quotes"
        throw .init(position: cursor.position, message: message)
      }
      last = cursor.advance()
    }
  }
}
