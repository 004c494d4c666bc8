/// Words for messages, and how near two of them are.
package enum Text {
  /// The text with control characters escaped, cut where it is long.
  package static func visible(_ text: String, limit: Int = 60) -> String {
    // Most texts are short and plain, such as every key of a profile.
    if text.utf8.count <= limit, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return text }
    var result = ""
    for scalar in text.unicodeScalars.prefix(limit) {
      switch scalar.properties.generalCategory {
      case .spaceSeparator where scalar == " ": result += " "
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .spaceSeparator:
        result += scalar == "\n" ? "\\n" : "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return text.unicodeScalars.count > limit ? result + "…" : result
  }

  /// A number in at least as many hexadecimal digits: `001b`.
  package static func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// A word without what spellings differ in: case, `-`, `_` and spaces.
  package static func folded(_ word: String) -> String {
    var bytes: [UInt8] = []
    for byte in word.utf8 {
      guard byte < 0x80 else {
        return String(word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " })
      }
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "): continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The known words that a mistyped one may mean, nearest first, at most three.
  package static func nearest(_ word: String, among known: [String]) -> [String] {
    guard word.utf8.count <= 64 else { return [] }
    let wanted = folded(word)
    let limit = max(1, min(3, wanted.count / 3))
    let near = known.compactMap { candidate -> (word: String, distance: Int)? in
      let distance = distance(wanted, folded(candidate))
      return distance <= limit ? (candidate, distance) : nil
    }
    let best = near.map(\.distance).min() ?? 0
    return near.filter { $0.distance <= best + 1 }
      .sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(3).map(\.word)
  }

  /// How many letters must be put in, left out, changed or swapped with the next.
  package static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a)
    let b = Array(b)
    var former: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, former[j - 1] + 1) }
        row.append(cost)
      }
      former = last
      last = row
    }
    return last[b.count]
  }

  /// A message about a key where all possible keys are in a list.
  package static func unknownKey(
    _ key: String, among known: [String], prefix: String = ""
  ) -> String {
    let start = "unknown key '\(prefix)\(visible(key))'; "
    let near = nearest(key, among: known).map { "'\(prefix)\($0)'" }
    return near.isEmpty
      ? start + "known here: \(known.joined(separator: ", "))"
      : start + "did you mean \(Words.list(near, last: "or"))?"
  }
}

extension Unicode.Scalar {
  /// Whether its general category is control, which never changes: looking a category up takes longer.
  package var isControl: Bool { value < 0x20 || 0x7F...0x9F ~= value }

  /// Whether a terminal would act on the character instead of showing it.
  package var isHidden: Bool {
    if value < 0x7F { return value < 0x20 }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    // Soft hyphens and joiners belong to words; what turns the direction of text does not.
    case .format: properties.isBidiControl || value == 0xFEFF
    default: false
    }
  }
}
