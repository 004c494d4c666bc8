import SessionCore

/// Parses a TOML text from its first byte to its last, once.
struct TOMLReader {
  var cursor: TextCursor
  private let root = TOMLTable(.header, at: Position())
  /// The table of the last header, and its depth.
  private var current: TOMLTable
  private var depth = 0

  init(_ text: String) {
    cursor = TextCursor(text)
    current = root
  }

  mutating func document() throws(TOMLText.Failure) -> Node {
    while true {
      try skipBlank()
      guard let next = cursor.peek() else { return root.node }
      if next == UInt8(ascii: "[") {
        try header()
      } else {
        try pair(in: current, depth)
      }
      try endLine()
    }
  }

  /// Reads `[table]` or `[[table]]`.
  private mutating func header() throws(TOMLText.Failure) {
    let start = cursor.position
    cursor.advance()
    let isList = cursor.skip(UInt8(ascii: "["))
    cursor.skipSpaces()
    guard let first = cursor.peek(), first.isBare || first == .quote || first == .apostrophe else {
      throw notTOML("a table needs a name", at: start)
    }
    // An array of tables is a separate level.
    let level = isList ? 2 : 1
    let keys = try self.keys(at: start, level)
    let isClosed = cursor.skip(UInt8(ascii: "]")) && (!isList || cursor.skip(UInt8(ascii: "]")))
    guard isClosed else {
      throw notTOML("the name of a table ends with '\(isList ? "]]" : "]")'")
    }
    var table = root
    for key in keys.dropLast() { table = try table.step(key) }
    let last = keys[keys.count - 1]
    current = isList ? try table.append(last) : try table.begin(last)
    depth = keys.count - 1 + level
  }

  /// Reads `key = value` into a table.
  ///
  /// - Parameter depth: the nesting depth, including the table.
  mutating func pair(in table: TOMLTable, _ depth: Int) throws(TOMLText.Failure) {
    let keys = try self.keys(at: cursor.position, depth)
    guard cursor.skip(.equals) else { throw missingEquals(keys) }
    cursor.skipSpaces()
    guard let next = cursor.peek(), next != .newline, next != .carriageReturn, next != .hash else {
      throw notTOML("the key \(keys[keys.count - 1].shown) has no value")
    }
    var table = table
    for key in keys.dropLast() { table = try table.dotted(key) }
    let value = try self.value(depth + keys.count - 1)
    try table.set(keys[keys.count - 1], value)
  }

  private func missingEquals(_ keys: [TOMLKey]) -> TOMLText.Failure {
    let key = keys[keys.count - 1].shown
    return switch cursor.peek() {
    case nil, .newline, .carriageReturn, .hash: notTOML("the key \(key) has no '=' and no value")
    case .colon: notTOML("':' outside a string; a key has its value after '='")
    default: notTOML("\(shownScalar) after the key \(key); a key has its value after '='")
    }
  }

  /// Reads the parts of a key, and the spaces after it.
  private mutating func keys(
    at start: Position, _ depth: Int
  ) throws(TOMLText.Failure) -> [TOMLKey] {
    var keys: [TOMLKey] = []
    repeat {
      cursor.skipSpaces()
      guard depth + keys.count <= TOMLText.depthLimit else { throw tooDeep() }
      keys.append(TOMLKey(try key(), after: keys.last, at: start))
      cursor.skipSpaces()
    } while cursor.skip(.dot)
    return keys
  }

  private mutating func key() throws(TOMLText.Failure) -> String {
    switch cursor.peek() {
    case .some(.quote) where cursor.isAt("\"\"\""), .some(.apostrophe) where cursor.isAt("'''"):
      throw notTOML("a key cannot be a string of several lines")
    case .some(.quote), .some(.apostrophe): return try string()
    case .some(let byte) where byte.isBare:
      let start = cursor.offset
      cursor.skip(while: \.isBare)
      return cursor.text(from: start)
    case .some(.equals): throw notTOML("there is no key before '='")
    case .some(UInt8(ascii: "]")), .some(UInt8(ascii: "}")):
      throw notTOML("\(shownScalar) closes nothing here")
    case nil, .some(.newline), .some(.carriageReturn): throw notTOML("a key is missing here")
    default: throw notTOML("\(shownScalar) is not part of a key; it must be in quotes, if anywhere")
    }
  }

  // MARK: Between keys and values

  /// Skips spaces, newlines and comments.
  mutating func skipBlank() throws(TOMLText.Failure) {
    while true {
      cursor.skipSpaces()
      switch cursor.peek() {
      case .some(.hash): try skipComment()
      case .some(.newline), .some(.carriageReturn): try newline()
      default: return
      }
    }
  }

  mutating func newline() throws(TOMLText.Failure) {
    if cursor.peek() == .carriageReturn {
      guard cursor.peek(1) == .newline else { throw notTOML("a line ends in a lone CR") }
      cursor.advance()
    }
    cursor.advance()
  }

  private mutating func skipComment() throws(TOMLText.Failure) {
    cursor.skip { !$0.isControl }
    guard let end = cursor.peek(), end != .newline, end != .carriageReturn else { return }
    throw control(end)
  }

  /// Only a comment may follow in the line.
  private mutating func endLine() throws(TOMLText.Failure) {
    cursor.skipSpaces()
    switch cursor.peek() {
    case nil: return
    case .some(.hash): try skipComment()
    case .some(.newline), .some(.carriageReturn): try newline()
    default: throw notTOML("\(shownScalar) where the line should end; each key has its own line")
    }
  }

  // MARK: Failures

  func notTOML(_ message: String, at position: Position? = nil) -> TOMLText.Failure {
    .init(position: position ?? cursor.position, message: "this is not TOML: \(message)")
  }

  func control(_ byte: UInt8) -> TOMLText.Failure {
    byte == .carriageReturn
      ? notTOML("a line ends in a lone CR")
      : notTOML("there is a control character (U+\(Text.hexadecimal(UInt32(byte), digits: 4)))")
  }

  func tooDeep() -> TOMLText.Failure {
    .init(
      position: cursor.position,
      message: "nested more than \(TOMLText.depthLimit) deep; no profile is")
  }

  /// The character here, for messages.
  var shownScalar: String { "'\(Text.visible(cursor.scalar.map { String($0) } ?? ""))'" }
}
