import SessionCore

extension TOMLReader {
  /// Reads the value that begins here.
  ///
  /// - Parameter depth: the nesting depth in tables and arrays.
  mutating func value(_ depth: Int) throws(TOMLText.Failure) -> Node.Value {
    switch cursor.peek() {
    case .some(.quote), .some(.apostrophe): return .string(try string())
    case .some(UInt8(ascii: "[")): return try array(depth + 1)
    case .some(UInt8(ascii: "{")): return try inlineTable(depth + 1)
    default: return try word()
    }
  }

  private mutating func array(_ depth: Int) throws(TOMLText.Failure) -> Node.Value {
    guard depth <= TOMLText.depthLimit else { throw tooDeep() }
    let start = cursor.position
    var elements: [Node] = []
    cursor.advance()
    while true {
      try skipBlank()
      if cursor.skip(UInt8(ascii: "]")) { return .array(elements) }
      try checkIsElement(start)
      let position = cursor.position
      elements.append(Node(value: try value(depth), position: position))
      try skipBlank()
      if cursor.skip(.comma) { continue }
      guard cursor.peek() != UInt8(ascii: "]") else { continue }
      try checkIsElement(start)
      throw notTOML("',' is missing before this, or ']' of the array in line \(start.line)")
    }
  }

  private mutating func inlineTable(_ depth: Int) throws(TOMLText.Failure) -> Node.Value {
    guard depth <= TOMLText.depthLimit else { throw tooDeep() }
    let start = cursor.position
    let table = TOMLTable(.header, at: start)
    cursor.advance()
    cursor.skipSpaces()
    if cursor.skip(UInt8(ascii: "}")) { return table.node.value }
    while true {
      cursor.skipSpaces()
      try checkIsOneLine(start)
      guard cursor.peek() != UInt8(ascii: "}") else {
        throw notTOML("a comma before the '}' of an inline table")
      }
      try pair(in: table, depth)
      cursor.skipSpaces()
      if cursor.skip(UInt8(ascii: "}")) { return table.node.value }
      try checkIsOneLine(start)
      guard cursor.skip(.comma) else {
        throw notTOML("\(shownScalar) in an inline table, where ',' or '}' should be")
      }
    }
  }

  /// Refuses characters with which no element of an array begins.
  private func checkIsElement(_ start: Position) throws(TOMLText.Failure) {
    switch cursor.peek() {
    case nil: throw notTOML("the array that begins here has no ']'", at: start)
    case .some(.comma): throw notTOML("there is no value before ','")
    case .some(UInt8(ascii: "}")): throw notTOML("'}' closes nothing here")
    default: return
    }
  }

  private func checkIsOneLine(_ start: Position) throws(TOMLText.Failure) {
    switch cursor.peek() {
    case nil, .some(.newline), .some(.carriageReturn), .some(.hash):
      throw notTOML(
        "the inline table that begins here has no '}' in its line; "
          + "one of several lines is a [table] with its keys below", at: start)
    default: return
    }
  }

  /// Reads an unquoted value: a number, a date, true or false.
  private mutating func word() throws(TOMLText.Failure) -> Node.Value {
    let start = cursor.position
    let offset = cursor.offset
    if let byte = cursor.peek(), byte.isControl { throw control(byte) }
    cursor.skip { !$0.endsWord }
    if TOMLDate.hasTime(cursor) {
      // A space may separate a date and its time.
      cursor.advance()
      cursor.skip { !$0.endsWord }
    }
    let word = cursor.bytes(from: offset)
    guard !word.isEmpty else { throw notTOML("\(shownScalar) where a value should be") }
    let isAlone = isAtEndOfValue
    if isAlone {
      if word.elementsEqual("true".utf8) { return .boolean(true) }
      if word.elementsEqual("false".utf8) { return .boolean(false) }
      if TOMLDate.isLikeDate(word) { return .other("date") }
      switch TOMLNumber.read(word) {
      case .number(let value): return value
      case .tooLarge:
        throw notTOML("the number \(shown(word)) is too large for 64 bits", at: start)
      case .none: break
      }
    } else {
      // `10 ms`: all of it was meant as one value.
      cursor.skip { !$0.endsValue }
    }
    throw notTOML(mistake(cursor.bytes(from: offset)), at: start)
  }

  /// Whether what follows the word may follow a value.
  private var isAtEndOfValue: Bool {
    var ahead = 0
    while let byte = cursor.peek(ahead), byte == .space || byte == .tab { ahead += 1 }
    return cursor.peek(ahead).map { $0.endsValue } ?? true
  }

  /// The message for an invalid word.
  private func mistake(_ word: ArraySlice<UInt8>) -> String {
    let text = String(decoding: word.prefix(200), as: UTF8.self)
    if let first = text.unicodeScalars.first, "“”„‘’‚«»".unicodeScalars.contains(first) {
      return "\(first) is not a quote of TOML's; text is in \"…\" or '…'"
    }
    switch text.lowercased() {
    case "true", "yes", "on": return "\(shown(word)) is not a value; write true"
    case "false", "no", "off": return "\(shown(word)) is not a value; write false"
    default: break
    }
    if word.contains(.equals) {
      return "\(shown(word)) is more than a value; each key has its own line"
    }
    if word.allSatisfy({ $0.isDigit || $0 == .underscore || $0 == .dot }) {
      return "\(shown(word)) is not a number; '_' and '.' stand between digits, and 0 begins no "
        + "other number"
    }
    return "\(shown(word)) is not a value; text must be in quotes"
  }

  private func shown(_ word: ArraySlice<UInt8>) -> String {
    var text = String(decoding: word.prefix(400), as: UTF8.self)
    while text.hasSuffix(" ") || text.hasSuffix("\t") { text.removeLast() }
    return "'\(Text.visible(text))'"
  }
}

extension UInt8 {
  /// Whether an unquoted value ends before it.
  fileprivate var endsWord: Bool { self == .space || self == .tab || endsValue }

  /// Whether it can follow a value.
  fileprivate var endsValue: Bool {
    switch self {
    case .comma, .hash, .newline, .carriageReturn, UInt8(ascii: "]"), UInt8(ascii: "}"): true
    default: isControl
    }
  }
}
