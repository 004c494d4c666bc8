import SessionCore
import SessionProfiles
import TestSupport
import Testing

/// Input that must end in an error, never in the end of the process.
@Suite struct HostileTests {
  private func message(_ text: String) throws -> String {
    try #require(throws: SessionError.self) { try Profile.parse(text, name: "h") }.message
  }

  private static let deep = 10_000

  @Test(arguments: [
    "x = " + String(repeating: "[", count: deep),
    "x = " + String(repeating: "[", count: deep) + String(repeating: "]", count: deep),
    "x = " + String(repeating: "{ a = ", count: deep) + "1" + String(repeating: "}", count: deep),
    String(repeating: "a.", count: deep) + "a = 1",
    String(repeating: "a.", count: 250_000) + "a = 1\n!",
    "[" + String(repeating: "a.", count: deep) + "a]",
    "x = { " + String(repeating: "a . ", count: deep) + "a = 1 }",
  ])
  func `nesting ends in a clear error`(_ text: String) throws {
    let message = try message(text)
    #expect(message.hasSuffix(": nested more than 24 deep; no profile is"))
  }

  @Test(arguments: [
    "x = \"\"\"", "x = '''", "x = \"\\", "x = \"\\u", "x = \"\\uD800\"", "x = [", "x = {", "[",
    "[[", "]", "=", ".", "\"", "'", "x", "x =", "x = ]", "x = 1 2", "x = 1e999", "x = -", "x = 0x",
    "x = 99:99:99", "x = 2020-13-40", "\u{1}", "\r", "x = [,]", "x = {,}", "\u{FEFF}\u{FEFF}",
    "x = [}", "x = {]", "[\r", "[[=", "x = 2020-01-01true:", "x = 2020-01-01 0]]12:00:00",
    "x = [\u{85}", "[[", "[]", "[[]]", String(repeating: "[", count: deep), "x = nan", "x = inf",
    "x = -9223372036854775808", "x = -9223372036854775809", "🎙 = 1",
    "'' = 1", "\"\" = { '' = [[], {}] }", "x = 2020-01-01T00:00:00+23:59",
    "x = 1aaa-aa-aa 0 ", "x = 0[\"--[\"-s= 0 = [-[\"-", "x = [1aae-ae-aa 0 ]", "x = 1___-aa-aa 0#",
    "x = { 0-a = 1aaa-aa-aa 0 }", "x = +aaa-aa-aa 0 ", "x = 1 1aaa-aa-aa 0 ", "x = [\n 1='--'-a 0",
  ])
  func `odd texts are errors`(_ text: String) throws {
    #expect(try message(text).hasPrefix("h:1:") || message(text).hasPrefix("h:2:"))
  }

  /// Every prefix of a good file, and it with every byte of some kinds put in, is read or refused.
  @Test func `mutations of a good file are read or refused`() {
    let text = Array(ExampleTests.text.unicodeScalars)
    var read = 0
    for at in stride(from: 0, to: text.count, by: 41) {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: text[..<at])
      for insert in ["", "\"", "[", "}", "\n", "\\", "'''", "= 1"] {
        let mutated =
          insert.isEmpty ? String(view) : String(view) + insert + suffix(text, from: at)
        if (try? Profile.parse(mutated, name: "m")) != nil { read += 1 }
      }
    }
    #expect(read > 0)
  }

  private func suffix(_ text: [Unicode.Scalar], from at: Int) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text[at...])
    return String(view)
  }

  @Test func `a megabyte of unknown keys takes no more than a hundred messages`() {
    let text = (0..<60_000).map { "k\($0) = \($0)" }.joined(separator: "\n")
    let folder = TemporaryFolder()
    #expect(Profile.check(file: folder.write(text, to: "big.toml")).count == 100)
  }

  @Test func `messages show no control characters`() throws {
    let message = try message("\"a\\u001b[31m\\u202e\" = 1")
    #expect(message.hasPrefix("h:1:1: unknown key 'a\\u{1b}[31m\\u{202e}'; "))
  }
}
