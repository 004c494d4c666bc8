internal import POSIX

/// Valid texts (JSON, TOML, a server's answers) with something wrong in them: numbers at the limits,
/// values of another type, texts cut off. The same seed gives the same texts.
package struct HostileTexts {
  private enum Kind { case number, text, word }

  private typealias Token = (range: Range<Int>, kind: Kind)

  private let bytes: [UInt8]
  /// By the two keys before them, so that what is seldom is tried as often as what is frequent.
  private let tokens: [[Token]]
  private var random: SeededRandom

  /// How many texts a test makes; a longer search is asked for with `AUDIOSESSION_FUZZ_FACTOR`.
  package static func count(_ number: Int) -> Int {
    let factor = ProcessEnvironment["AUDIOSESSION_FUZZ_FACTOR"].flatMap(Int.init)
    return number * max(1, factor ?? 1)
  }

  private static let limits = ["9223372036854775807", "-9223372036854775808"]
  private static let numbers = [
    "0", "-1", "1", "33", "255", "256", "65536", "2147483647", "-2147483648", "4294967295",
    "4294967296", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
    "18446744073709551615", "1e30", "-1e30", "1e300", "0.5", "1e-300", "-0.0",
  ]
  private static let others = [
    "null", "true", "[]", "{}", "\"\"", "\"a\\u0000\"", "1e300", "[[1]]", "9223372036854775807",
    "\"9223372036854775807\"", "\"-9223372036854775808/9223372036854775807\"",
  ]

  package init(_ text: [UInt8], seed: UInt64) {
    bytes = text
    random = SeededRandom(seed: seed)
    tokens = Self.tokens(of: text)
  }

  /// Numbers wherever they stand, also in names and module arguments; strings; words.
  private static func tokens(of bytes: [UInt8]) -> [[Token]] {
    var result: [[UInt8]: [Token]] = [:]
    var (at, opening, last, key) = (0, Int?.none, bytes[..<0], [UInt8]())
    func note(_ new: ArraySlice<UInt8>) { (last, key) = (new, Array(last + new)) }
    func end(_ start: Int, _ isPart: (UInt8) -> Bool) -> Int {
      var end = start
      while end < bytes.count, isPart(bytes[end]) { end += 1 }
      return end
    }
    while at < bytes.count {
      let byte = bytes[at]
      var next = at + 1
      switch byte {
      case UInt8(ascii: "\\"): next = at + 2
      case UInt8(ascii: "\""):
        if let start = opening {
          if next < bytes.count, bytes[next] == UInt8(ascii: ":") { note(bytes[start..<next]) }
          result[key, default: []].append((start..<next, .text))
        }
        opening = opening == nil ? at : nil
      case UInt8(ascii: "\n"): note(bytes[next..<end(next) { $0 > 0x20 }])
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        let isOutside = opening == nil
        next = end(at + 1) { (0x30...0x39).contains($0) || isOutside && ".eE+-".utf8.contains($0) }
        if next > at + 1 || byte != UInt8(ascii: "-") {
          result[key, default: []].append((at..<next, .number))
        }
      case UInt8(ascii: "a")...UInt8(ascii: "z") where opening == nil:
        next = end(at) { (0x61...0x7A).contains($0) }
        result[key, default: []].append((at..<next, .word))
      default: break
      }
      at = next
    }
    return result.values.sorted { $0[0].range.lowerBound < $1[0].range.lowerBound }
  }

  package mutating func next() -> [UInt8] {
    var result = bytes
    var last = Int.max
    let most = random.pick([1, 1, 1, 2, 2, 4, 40])
    let chosen = (0..<most).map { _ in random.pick(random.pick(tokens)) }
    // From the end to the start, so that the places before stay.
    for (range, kind) in chosen.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      guard range.upperBound <= last else { continue }
      // A value of another type is mostly refused at once, so it is rare.
      if kind != .number, !random.one(in: 12) { continue }
      let isNumber = kind == .number && !random.one(in: 30)
      let list = isNumber ? random.pick([Self.limits, Self.numbers]) : Self.others
      let new = random.pick(list)
      result.replaceSubrange(range, with: new.utf8)
      last = range.lowerBound
    }
    switch random.below(60) {
    case 0: result = Array(result.prefix(random.below(result.count)))
    case 1: if !result.isEmpty { result[random.below(result.count)] = UInt8(random.below(256)) }
    default: break
    }
    return result
  }
}
