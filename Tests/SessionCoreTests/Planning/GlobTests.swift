import Testing

@testable import SessionCore

/// Shell patterns over names, hostile ones included.
@Suite struct GlobTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let pattern: String
    let matching: [String]
    let others: [String]
    var testDescription: String { pattern }
  }

  static let rows = [
    Row(pattern: "a", matching: ["a"], others: ["", "A", "aa", "b"]),
    Row(pattern: "", matching: [""], others: ["a"]),
    Row(pattern: "*", matching: ["", "a", "a.b-c"], others: []),
    Row(pattern: "**", matching: ["", "a"], others: []),
    Row(pattern: "?", matching: ["a", "ä", "🎤"], others: ["", "ab"]),
    Row(pattern: "a*b", matching: ["ab", "axb", "abab"], others: ["a", "b", "abc", "ba"]),
    Row(pattern: "*.usb-*", matching: ["alsa_input.usb-Blue", ".usb-"], others: ["usb-Blue"]),
    Row(pattern: "a*b*c", matching: ["abc", "aXbXbXc"], others: ["acb", "abcd"]),
    Row(pattern: "[abc]", matching: ["a", "c"], others: ["d", "", "ab"]),
    Row(pattern: "[a-c]x", matching: ["ax", "bx"], others: ["dx", "-x"]),
    Row(pattern: "[!a-c]", matching: ["d", "!"], others: ["a", ""]),
    Row(pattern: "[^a]", matching: ["b"], others: ["a"]),
    Row(pattern: "[a-]", matching: ["a", "-"], others: ["b"]),
    Row(pattern: "[!]", matching: ["!"], others: ["a", "]"]),
    Row(pattern: "[z-a]", matching: [], others: ["z", "a", "m", "-"]),
    Row(pattern: "[", matching: ["["], others: ["", "a"]),
    Row(pattern: "[]", matching: ["[]"], others: ["", "["]),
    Row(pattern: "[a", matching: ["[a"], others: ["a"]),
    Row(pattern: "a]", matching: ["a]"], others: ["a"]),
    Row(pattern: "x[*]", matching: ["x*"], others: ["xa", "x"]),
    Row(pattern: "*[ab]*?", matching: ["ax", "xaby"], others: ["a", "xy"]),
    Row(pattern: "ä*", matching: ["ä", "äb"], others: ["a"]),
  ]

  @Test(arguments: rows) func `what a pattern matches, read once for all names`(_ row: Row) {
    let pattern = Glob(row.pattern)
    for name in row.matching { #expect(pattern.matches(name), "\(name)") }
    for name in row.others { #expect(!pattern.matches(name), "\(name)") }
  }

  @Test(arguments: ["*", "?", "[a]", "[", "*a", "?*"])
  func `a pattern that is itself the name matches it`(_ pattern: String) {
    #expect(Glob(pattern).matches(pattern))
  }

  static let hostile = [
    String(repeating: "*", count: 10_000),
    String(repeating: "*", count: 10_000) + "b",
    String(repeating: "a*", count: 5_000) + "b",
    String(repeating: "[", count: 10_000),
    "*" + String(repeating: "[", count: 9_999),
    "*" + String(repeating: "[a", count: 5_000),
    String(repeating: "[a]", count: 3_000) + "b",
    String(repeating: "?", count: 10_000) + "*b",
  ]

  @Test(.timeLimit(.minutes(10)), arguments: hostile)
  func `ten thousand of anything against ten thousand bytes ends quickly`(_ pattern: String) {
    let clock = ContinuousClock()
    for letter in ["a", "["] {
      let name = String(repeating: letter, count: 10_000)
      let time = clock.measure { _ = Glob(pattern).matches(name) }
      #expect(time < .seconds(10), "\(pattern.prefix(8))… on \(letter)…")
    }
  }

  @Test func `stars alone match everything`() {
    let stars = String(repeating: "*", count: 10_000)
    #expect(Glob(stars).matches(String(repeating: "a", count: 10_000)))
    #expect(!Glob(stars + "b").matches(String(repeating: "a", count: 10_000)))
  }
}
