/// Parses one JSON text completely, from its first byte to its last.
struct JSONParser {
  private let bytes: [UInt8]
  private var at = 0

  static func value(_ bytes: [UInt8]) throws(JSON.Failure) -> JSONValue {
    var parser = JSONParser(bytes: bytes)
    guard bytes.count <= JSON.sizeLimit else { throw parser.failure("longer than any of ours") }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw parser.failure("not UTF-8")
    }
    let value = try parser.value(0)
    parser.skipSpaces()
    guard parser.at == bytes.count else { throw parser.failure("more than one value") }
    return value
  }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private func failure(_ description: String) -> JSON.Failure {
    JSON.Failure(description: description)
  }

  private mutating func skipSpaces() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    at += 1
    return true
  }

  private mutating func value(_ depth: Int) throws(JSON.Failure) -> JSONValue {
    guard depth <= JSON.depthLimit else { throw failure("nested too deep") }
    skipSpaces()
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try list(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .flag(true))
    case UInt8(ascii: "f"): return try word("false", .flag(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func object(_ depth: Int) throws(JSON.Failure) -> JSONValue {
    var members: [(key: String, value: JSONValue)] = []
    at += 1
    skipSpaces()
    if skip(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpaces()
      guard next == UInt8(ascii: "\"") else { throw failure("a key is missing") }
      let key = try string()
      skipSpaces()
      guard skip(UInt8(ascii: ":")) else { throw failure("':' is missing") }
      members.append((key, try value(depth + 1)))
      skipSpaces()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "}")) else { throw failure("'}' is missing") }
    return .object(members)
  }

  private mutating func list(_ depth: Int) throws(JSON.Failure) -> JSONValue {
    var elements: [JSONValue] = []
    at += 1
    skipSpaces()
    if skip(UInt8(ascii: "]")) { return .list(elements) }
    repeat {
      elements.append(try value(depth + 1))
      skipSpaces()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw failure("']' is missing") }
    return .list(elements)
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSON.Failure) -> JSONValue {
    let isHere = word.withUTF8Buffer { bytes[at...].starts(with: $0) }
    guard isHere else { throw failure("not a value") }
    at += word.utf8CodeUnitCount
    return value
  }

  private mutating func number() throws(JSON.Failure) -> String {
    let start = at
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try digits() }
    if skip(UInt8(ascii: ".")) { try digits() }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      at += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
      try digits()
    }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func digits() throws(JSON.Failure) {
    let start = at
    while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { at += 1 }
    guard at > start else { throw failure("not a value") }
  }

  private mutating func string() throws(JSON.Failure) -> String {
    at += 1
    var start = at
    var result: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        let tail = bytes[start..<at]
        at += 1
        return result.isEmpty
          ? String(decoding: tail, as: UTF8.self) : String(decoding: result + tail, as: UTF8.self)
      case UInt8(ascii: "\\"):
        result += bytes[start..<at]
        result += UTF8.encode(try escape()) ?? UTF8.encodedReplacementCharacter
        start = at
      case ..<0x20: throw failure("a control character in a string")
      default: at += 1
      }
    }
    throw failure("a string does not end")
  }

  private mutating func escape() throws(JSON.Failure) -> Unicode.Scalar {
    at += 1
    guard let letter = next else { throw failure("a string does not end") }
    at += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try scalar()
    default: throw failure("no such escape")
    }
  }

  /// The character of one escape, or of two that are halves of one.
  private mutating func scalar() throws(JSON.Failure) -> Unicode.Scalar {
    let unit = try hexadecimal()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
      throw failure("half a character")
    }
    let other = try hexadecimal()
    guard 0xDC00...0xDFFF ~= other,
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (other - 0xDC00))
    else { throw failure("half a character") }
    return scalar
  }

  private mutating func hexadecimal() throws(JSON.Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("an escape is too short")
      }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }
}
