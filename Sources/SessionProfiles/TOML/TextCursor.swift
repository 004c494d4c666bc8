/// Walks a TOML text one scalar at a time and knows where it is.
///
/// It steps over strings and comments as the parser does, so that brackets and dots in them do not
/// count. On text that is no TOML it still ends, and it agrees with the parser up to the first
/// mistake, which is as far as the parser goes.
struct TextCursor {
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private(set) var position = Position()
  /// Where a string has an escaped NUL, which the parser's C strings would cut off unsaid.
  private(set) var escapedNul: Position?

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    if scalars.first == "\u{FEFF}" { index = 1 }
  }

  var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  @discardableResult
  mutating func advance() -> Unicode.Scalar? {
    guard let scalar = peek else { return nil }
    index += 1
    if scalar == "\n" {
      position = Position(line: position.line + 1)
    } else {
      position.column += 1
    }
    return scalar
  }

  mutating func skipSpaces() {
    while let scalar = peek, scalar == " " || scalar == "\t" { advance() }
  }

  /// Skips spaces, ends of lines and comments.
  mutating func skipBlank() {
    while let scalar = peek {
      switch scalar {
      case " ", "\t", "\n", "\r": advance()
      case "#": skipComment()
      default: return
      }
    }
  }

  mutating func skipComment() {
    while let scalar = peek, scalar != "\n" { advance() }
  }

  /// Reads the string that begins here, in any of TOML's four quotings.
  mutating func quoted() -> String {
    guard let quote = advance() else { return "" }
    guard peek == quote else { return rest(of: quote, isLong: false) }
    advance()
    guard peek == quote else { return "" }
    advance()
    return rest(of: quote, isLong: true)
  }

  private mutating func rest(of quote: Unicode.Scalar, isLong: Bool) -> String {
    var result = String.UnicodeScalarView()
    while let scalar = peek {
      if scalar == quote {
        guard isLong else {
          advance()
          return String(result)
        }
        if skipLongEnd(quote) { return String(result) }
        result.append(quote)
      } else if scalar == "\n", !isLong {
        return String(result)
      } else if scalar == "\\", quote == "\"" {
        if let escaped = escape() { result.append(escaped) }
      } else {
        result.append(scalar)
        advance()
      }
    }
    return String(result)
  }

  /// Steps over one to five quotes; whether they end a long string (three, after up to two of it).
  private mutating func skipLongEnd(_ quote: Unicode.Scalar) -> Bool {
    var count = 0
    while count < 5, peek == quote {
      advance()
      count += 1
    }
    return count >= 3
  }

  private mutating func escape() -> Unicode.Scalar? {
    let start = position
    advance()
    guard let scalar = peek else { return nil }
    if scalar == "\n" { return nil }
    advance()
    switch scalar {
    case "b": return "\u{8}"
    case "t": return "\t"
    case "n": return "\n"
    case "f": return "\u{C}"
    case "r": return "\r"
    case "e": return "\u{1B}"
    case "x": return hexadecimal(2, start)
    case "u": return hexadecimal(4, start)
    case "U": return hexadecimal(8, start)
    default: return scalar
    }
  }

  private mutating func hexadecimal(_ digits: Int, _ start: Position) -> Unicode.Scalar? {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = peek.flatMap({ Character($0).hexDigitValue }) else { return nil }
      value = value << 4 | UInt32(digit)
      advance()
    }
    if value == 0, escapedNul == nil { escapedNul = start }
    return Unicode.Scalar(value)
  }
}
