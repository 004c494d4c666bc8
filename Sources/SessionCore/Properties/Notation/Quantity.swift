/// A decimal number with its unit, as in `10 ms`, `-6 dB` and `80%`.
struct Quantity {
  var isNegative: Bool
  var whole: Int
  /// The digits after the point.
  var fraction: [Int]
  /// As written; empty if there is none.
  var unit: String

  /// Splits a text, or nil if it does not begin with a decimal number that fits.
  init?(_ text: String) {
    var rest = Substring(text).trimmed
    isNegative = rest.first == "-"
    if let sign = rest.first, sign == "-" || sign == "+" { rest.removeFirst() }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, let whole = Int(digits) else { return nil }
    self.whole = whole
    rest = rest.dropFirst(digits.count)
    fraction = []
    if rest.first == "." {
      let decimals = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
      guard !decimals.isEmpty else { return nil }
      fraction = decimals.compactMap(\.wholeNumberValue)
      rest = rest.dropFirst(1 + decimals.count)
    }
    unit = String(rest.trimmed)
  }

  /// The number as floating point.
  var double: Double {
    var value = 0.0
    for digit in fraction.reversed() { value = (value + Double(digit)) / 10 }
    value += Double(whole)
    return isNegative ? -value : value
  }

  /// The number times a power of ten, without rounding. With 10¹⁸, as of seconds, every number fits.
  func scaled(byPowerOfTen power: Int) -> Int128 {
    var result = Int128(whole)
    for at in 0..<power {
      result = result * 10 + Int128(at < fraction.count ? fraction[at] : 0)
    }
    return isNegative ? -result : result
  }

  /// Whether the number has decimals that are not zero.
  var isWhole: Bool { fraction.allSatisfy { $0 == 0 } }
}

extension Substring {
  /// Without the white space at its ends.
  package var trimmed: Substring {
    var result = self
    while let first = result.first, first.isWhitespace { result.removeFirst() }
    while let last = result.last, last.isWhitespace { result.removeLast() }
    return result
  }
}
