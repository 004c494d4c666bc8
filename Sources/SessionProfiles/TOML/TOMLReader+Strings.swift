import SessionCore

extension TOMLReader {
  /// Reads the string that begins here, in any of TOML's four forms.
  mutating func string() throws(TOMLText.Failure) -> String {
    let start = cursor.position
    guard let quote = cursor.peek() else { return "" }
    cursor.advance()
    guard cursor.skip(quote) else { return try line(quote, start) }
    guard cursor.skip(quote) else { return "" }
    return try lines(quote, start)
  }

  /// Reads the rest of a single-line string.
  private mutating func line(_ quote: UInt8, _ start: Position) throws(TOMLText.Failure) -> String {
    var bytes: [UInt8] = []
    while let byte = cursor.peek(), byte != .newline, byte != .carriageReturn {
      if cursor.skip(quote) { return String(decoding: bytes, as: UTF8.self) }
      try take(byte, quote, &bytes)
    }
    let shown = String(Character(Unicode.Scalar(quote)))
    throw notTOML("the string that begins here has no closing \(shown) in its line", at: start)
  }

  /// Reads the rest of a multi-line string.
  private mutating func lines(
    _ quote: UInt8, _ start: Position
  ) throws(TOMLText.Failure) -> String {
    var bytes: [UInt8] = []
    // A newline directly after the quotes is not part of the string.
    if isAtNewline { try newline() }
    while let byte = cursor.peek() {
      if byte == quote, let quotes = closing(quote) {
        bytes += repeatElement(quote, count: quotes - 3)
        cursor.advance(quotes)
        return String(decoding: bytes, as: UTF8.self)
      }
      if byte == .newline || byte == .carriageReturn {
        // Every newline is read as the same character.
        try newline()
        bytes.append(.newline)
      } else if byte == .backslash, quote == .quote, try skipLineEnd() {
        continue
      } else {
        try take(byte, quote, &bytes)
      }
    }
    let shown = String(repeating: Character(Unicode.Scalar(quote)), count: 3)
    throw notTOML("the string that begins here has no closing \(shown)", at: start)
  }

  private var isAtNewline: Bool {
    cursor.peek() == .newline || cursor.peek() == .carriageReturn && cursor.peek(1) == .newline
  }

  /// The number of quotes that end the string here: three, after up to two that are part of it.
  private func closing(_ quote: UInt8) -> Int? {
    let count = (0..<5).prefix { cursor.peek($0) == quote }.count
    return count >= 3 ? count : nil
  }

  /// Reads one byte or one escape of a string.
  private mutating func take(
    _ byte: UInt8, _ quote: UInt8, _ bytes: inout [UInt8]
  ) throws(TOMLText.Failure) {
    if byte == .backslash, quote == .quote {
      bytes += UTF8.encode(try escape()) ?? UTF8.encodedReplacementCharacter
    } else if byte.isControl {
      throw control(byte)
    } else {
      bytes.append(byte)
      cursor.advance()
    }
  }

  /// Skips a backslash at the end of a line, with the white space after it.
  private mutating func skipLineEnd() throws(TOMLText.Failure) -> Bool {
    var ahead = 1
    while let byte = cursor.peek(ahead), byte == .space || byte == .tab { ahead += 1 }
    let next = cursor.peek(ahead)
    guard next == .newline || next == .carriageReturn else { return false }
    cursor.advance(ahead)
    repeat {
      try newline()
      cursor.skipSpaces()
    } while isAtNewline
    return true
  }

  private mutating func escape() throws(TOMLText.Failure) -> Unicode.Scalar {
    let start = cursor.position
    cursor.advance()
    guard let letter = cursor.peek(), let scalar = cursor.scalar else {
      throw notTOML("the text ends in a string")
    }
    switch letter {
    case UInt8(ascii: "u"): return try encoded(digits: 4, start)
    case UInt8(ascii: "U"): return try encoded(digits: 8, start)
    default:
      guard let escaped = Self.escapes[letter] else {
        throw notTOML(
          "'\\\(Text.visible(String(scalar)))' is no escape; "
            + "a backslash is written '\\\\', or stands in a string in '…'",
          at: start)
      }
      cursor.advance()
      return escaped
    }
  }

  private static let escapes: [UInt8: Unicode.Scalar] = [
    UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "t"): "\t", UInt8(ascii: "n"): "\n",
    UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "r"): "\r", .quote: "\"", .backslash: "\\",
  ]

  private mutating func encoded(
    digits: Int, _ start: Position
  ) throws(TOMLText.Failure) -> Unicode.Scalar {
    cursor.advance()
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = cursor.peek()?.digit(base: 16) else {
        throw notTOML("an escape with \(digits) hexadecimal digits has fewer", at: start)
      }
      value = value << 4 | UInt32(digit)
      cursor.advance()
    }
    guard value != 0 else {
      throw .init(position: start, message: "a string has a NUL character in it")
    }
    guard let scalar = Unicode.Scalar(value) else {
      let shown = Text.hexadecimal(value, digits: 4)
      throw notTOML("there is no character U+\(shown)", at: start)
    }
    return scalar
  }
}
