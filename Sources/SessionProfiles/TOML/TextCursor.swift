import SessionCore

/// A position in the bytes of a text, with its line and column.
struct TextCursor {
  private let bytes: [UInt8]
  private(set) var offset = 0
  private(set) var position = Position()

  init(_ text: String) {
    bytes = Array(text.utf8)
    // A byte order mark does not count as a column.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// The byte here, or a number of bytes further on; nil at the end.
  func peek(_ ahead: Int = 0) -> UInt8? {
    offset + ahead < bytes.count ? bytes[offset + ahead] : nil
  }

  /// Whether this text is here.
  func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
  }

  mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if byte == .newline {
        position = Position(line: position.line + 1)
      } else if offset == bytes.count || bytes[offset] & 0xC0 != 0x80 {
        // A column is a scalar, which ends where the next byte is not a continuation byte.
        position.column += 1
      }
    }
  }

  /// Skips a byte if it is here; whether it was.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    advance()
    return true
  }

  mutating func skip(while condition: (UInt8) -> Bool) {
    while let byte = peek(), condition(byte) { advance() }
  }

  mutating func skipSpaces() { skip { $0 == .space || $0 == .tab } }

  /// The bytes from an offset to here.
  func bytes(from start: Int) -> ArraySlice<UInt8> { bytes[start..<offset] }

  /// The text from an offset to here.
  func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

  /// The whole scalar here, for messages.
  var scalar: Unicode.Scalar? {
    String(decoding: bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars.first
  }
}

extension UInt8 {
  static let tab = UInt8(ascii: "\t")
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let backslash = UInt8(ascii: "\\")
  static let underscore = UInt8(ascii: "_")
  static let hyphen = UInt8(ascii: "-")
  static let plus = UInt8(ascii: "+")
  static let dot = UInt8(ascii: ".")
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let equals = UInt8(ascii: "=")
  static let hash = UInt8(ascii: "#")

  /// Whether TOML forbids it in a line; a tab is allowed.
  var isControl: Bool { self < .space && self != .tab || self == 0x7F }
  /// The value as a digit of a base; nil if it is not one.
  func digit(base: UInt8) -> UInt8? {
    let value: UInt8? =
      isDigit ? self - UInt8(ascii: "0") : isLetter ? (self | 0x20) - UInt8(ascii: "a") + 10 : nil
    return value.flatMap { $0 < base ? $0 : nil }
  }
}
