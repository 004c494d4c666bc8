/// Shell patterns over names: `*`, `?`, `[abc]`, `[a-z]`, `[!x]`; everything else is itself.
///
/// Case counts, as in the server's names. A pattern takes time in proportion to name and pattern at
/// worst, so a hostile name cannot stall a plan.
enum Glob {
  /// Whether a word is a pattern rather than a name.
  static func isPattern(_ word: String) -> Bool {
    word.utf8.contains {
      $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "[")
    }
  }

  /// Whether the whole name matches the pattern.
  static func matches(_ pattern: String, _ name: String) -> Bool {
    if pattern == name { return true }
    guard isPattern(pattern) else { return false }
    return matches(Array(pattern.unicodeScalars), Array(name.unicodeScalars))
  }

  private static func matches(_ pattern: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
    var p = 0
    var n = 0
    var star: (pattern: Int, name: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == "*" {
        star = (p, n)
        p += 1
      } else if p < pattern.count, let next = step(pattern, p, name[n]) {
        p = next
        n += 1
      } else if let last = star {
        p = last.pattern + 1
        n = last.name + 1
        star = (last.pattern, n)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }

  /// Where the pattern goes on when its next element takes the scalar.
  private static func step(_ pattern: [Unicode.Scalar], _ at: Int, _ scalar: Unicode.Scalar) -> Int?
  {
    switch pattern[at] {
    case "?": return at + 1
    case "[":
      guard let end = pattern[(at + 1)...].firstIndex(of: "]"), end > at + 1 else {
        return scalar == "[" ? at + 1 : nil
      }
      return contains(pattern[(at + 1)..<end], scalar) ? end + 1 : nil
    default: return pattern[at] == scalar ? at + 1 : nil
    }
  }

  private static func contains(_ set: ArraySlice<Unicode.Scalar>, _ scalar: Unicode.Scalar) -> Bool
  {
    let isNegated = set.first == "!" || set.first == "^"
    var rest = isNegated ? set.dropFirst() : set
    var isFound = false
    while let first = rest.popFirst() {
      if rest.count >= 2, rest.first == "-", let last = rest.dropFirst().first {
        isFound = isFound || (first...max(first, last)).contains(scalar)
        rest = rest.dropFirst(2)
      } else {
        isFound = isFound || first == scalar
      }
    }
    return isFound != isNegated
  }
}
