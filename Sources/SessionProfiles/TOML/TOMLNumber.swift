import SessionCore

enum TOMLNumber {
  /// The interpretation of a word as a number.
  enum Reading {
    case number(Node.Value)
    /// A number that does not fit into 64 bits.
    case tooLarge
    case none
  }

  static func read(_ word: ArraySlice<UInt8>) -> Reading {
    let sign = word.first == .plus || word.first == .hyphen ? word.prefix(1) : []
    let rest = word.dropFirst(sign.count)
    if rest.elementsEqual("inf".utf8) {
      return .number(.double(sign.first == .hyphen ? -.infinity : .infinity))
    }
    if rest.elementsEqual("nan".utf8) { return .number(.double(.nan)) }
    if sign.isEmpty, let base = base(rest) {
      return digits(rest.dropFirst(2), base: base).map { integer($0, base: Int(base)) } ?? .none
    }
    let whole = rest.prefix { $0.isDigit || $0 == .underscore }
    guard let digits = digits(whole), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
      return .none
    }
    let tail = rest.dropFirst(whole.count)
    guard !tail.isEmpty else { return integer(sign + digits, base: 10) }
    return fraction(tail).map { double(sign + digits + $0) } ?? .none
  }

  private static func base(_ word: ArraySlice<UInt8>) -> UInt8? {
    guard word.first == UInt8(ascii: "0") else { return nil }
    return switch word.dropFirst().first {
    case UInt8(ascii: "x"): 16
    case UInt8(ascii: "o"): 8
    case UInt8(ascii: "b"): 2
    default: nil
    }
  }

  /// Digits without the underscores between them; nil for other words.
  private static func digits(_ word: ArraySlice<UInt8>, base: UInt8 = 10) -> [UInt8]? {
    var result: [UInt8] = []
    var wasDigit = false
    for byte in word {
      if byte.digit(base: base) != nil {
        result.append(byte)
        wasDigit = true
      } else {
        guard byte == .underscore, wasDigit else { return nil }
        wasDigit = false
      }
    }
    return wasDigit ? result : nil
  }

  /// The part after the whole part: `.5`, `e-3`, `.5E3`.
  private static func fraction(_ word: ArraySlice<UInt8>) -> [UInt8]? {
    var rest = word
    var result: [UInt8] = []
    if rest.first == .dot {
      let part = rest.dropFirst().prefix { $0.isDigit || $0 == .underscore }
      guard let digits = digits(part) else { return nil }
      result += [.dot] + digits
      rest = rest.dropFirst(1 + part.count)
    }
    guard let mark = rest.first else { return result }
    guard mark | 0x20 == UInt8(ascii: "e") else { return nil }
    rest = rest.dropFirst()
    result.append(UInt8(ascii: "e"))
    if let sign = rest.first, sign == .plus || sign == .hyphen {
      result.append(sign)
      rest = rest.dropFirst()
    }
    return digits(rest).map { result + $0 }
  }

  private static func integer(_ digits: some Sequence<UInt8>, base: Int) -> Reading {
    Int(String(decoding: Array(digits), as: UTF8.self), radix: base).map { .number(.integer($0)) }
      ?? .tooLarge
  }

  private static func double(_ digits: [UInt8]) -> Reading {
    let value = Double(String(decoding: digits, as: UTF8.self))
    return value.map { $0.isFinite ? .number(.double($0)) : .tooLarge } ?? .none
  }
}
