/// A shell pattern over names: `*`, `?`, `[abc]`, `[a-z]`, `[!x]`; everything else is itself.
///
/// Case counts, as in the server's names. A pattern takes time in proportion to name and pattern at
/// worst, so a hostile name cannot stall a plan.
struct Glob {
  private let pattern: String
  /// Its parts; nil of a plain name.
  private let elements: [Element]?

  /// Reads a pattern, for any number of names.
  init(_ pattern: String) {
    self.pattern = pattern
    elements = Self.isPattern(pattern) ? Self.parse(Array(pattern.unicodeScalars)) : nil
  }

  /// Whether a word is a pattern rather than a name.
  static func isPattern(_ word: String) -> Bool {
    word.utf8.contains { byte in
      byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
    }
  }

  /// The pattern that matches just this name.
  static func escaped(_ name: String) -> String {
    guard isPattern(name) else { return name }
    return name.map { "*?[".contains($0) ? "[\($0)]" : String($0) }.joined()
  }

  /// Whether the whole name matches the pattern.
  func matches(_ name: String) -> Bool {
    if pattern == name { return true }
    guard let elements else { return false }
    return Self.matches(elements, name.unicodeScalars)
  }

  /// One part of a pattern.
  private enum Element {
    case star, any
    case one(Unicode.Scalar)
    case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)

    func takes(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .star: false
      case .any: true
      case .one(let own): own == scalar
      case .set(let ranges, let isNegated):
        ranges.contains { $0.contains(scalar) } != isNegated
      }
    }
  }

  /// Read once, so that a bracket that never ends is looked for once.
  private static func parse(_ pattern: [Unicode.Scalar]) -> [Element] {
    var result: [Element] = []
    var at = 0
    var canClose = true
    while at < pattern.count {
      switch pattern[at] {
      case "*": result.append(.star)
      case "?": result.append(.any)
      case "[" where canClose:
        let end = pattern[(at + 1)...].firstIndex(of: "]")
        canClose = end != nil
        if let end, end > at + 1 {
          result.append(set(pattern[(at + 1)..<end]))
          at = end
        } else {
          result.append(.one("["))
        }
      default: result.append(.one(pattern[at]))
      }
      at += 1
    }
    return result
  }

  private static func set(_ content: ArraySlice<Unicode.Scalar>) -> Element {
    let isNegated = content.count > 1 && (content.first == "!" || content.first == "^")
    var rest = isNegated ? content.dropFirst() : content
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    while let first = rest.popFirst() {
      if rest.count >= 2, rest.first == "-", let last = rest.dropFirst().first {
        // A range from high to low has nothing in it.
        if first <= last { ranges.append(first...last) }
        rest = rest.dropFirst(2)
      } else {
        ranges.append(first...first)
      }
    }
    return .set(ranges, isNegated: isNegated)
  }

  private static func matches(_ pattern: [Element], _ name: String.UnicodeScalarView) -> Bool {
    var p = 0
    var n = name.startIndex
    var star: (pattern: Int, name: String.Index)?
    while n < name.endIndex {
      if p < pattern.count, case .star = pattern[p] {
        star = (p, n)
        p += 1
      } else if p < pattern.count, pattern[p].takes(name[n]) {
        p += 1
        n = name.index(after: n)
      } else if let last = star {
        p = last.pattern + 1
        n = name.index(after: last.name)
        star = (last.pattern, n)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { if case .star = $0 { true } else { false } }
  }
}
