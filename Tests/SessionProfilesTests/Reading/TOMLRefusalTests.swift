import SessionCore
import Testing

@testable import SessionProfiles

/// What is not TOML, with what a person reads about it.
@Suite struct TOMLRefusalTests {
  private func refusal(_ text: String) throws -> String {
    let failure = try #require(throws: TOMLText.Failure.self) { try TOMLText.root(text) }
    let place = try #require(failure.position)
    let start = "this is not TOML: "
    let message = failure.message
    return "\(place.line):\(place.column): "
      + (message.hasPrefix(start) ? String(message.dropFirst(start.count)) : "TOML, but " + message)
  }

  @Test(arguments: [
    ("category record", "1:10: 'r' after the key 'category'; a key has its value after '='"),
    (
      "category\u{a0}= 1",
      "1:9: '\\u{a0}' after the key 'category'; a key has its value after '='"
    ),
    ("x", "1:2: the key 'x' has no '=' and no value"),
    ("x # comment", "1:3: the key 'x' has no '=' and no value"),
    ("a.x =\ny = 1", "1:6: the key 'a.x' has no value"),
    ("= 1", "1:1: there is no key before '='"),
    ("a. = 1", "1:4: there is no key before '='"),
    ("a.", "1:3: a key is missing here"),
    ("ü = 1", "1:1: 'ü' is not part of a key; it must be in quotes, if anywhere"),
    ("'''a''' = 1", "1:1: a key cannot be a string of several lines"),
    ("'a\nb' = 1", "1:1: the string that begins here has no closing ' in its line"),
    ("}", "1:1: '}' closes nothing here"),
    ("x = 1 y = 2", "1:5: '1 y = 2' is more than a value; each key has its own line"),
    ("x = 'a' y = 2", "1:9: 'y' where the line should end; each key has its own line"),
    ("[a] x = 1", "1:5: 'x' where the line should end; each key has its own line"),
    ("[]", "1:1: a table needs a name"),
    ("[[ ]]", "1:1: a table needs a name"),
    ("[a\n", "1:3: the name of a table ends with ']'"),
    ("[[a] ]", "1:5: the name of a table ends with ']]'"),
  ])
  func `keys and tables`(_ text: String, _ expected: String) throws {
    #expect(try refusal(text) == expected)
  }

  @Test(arguments: [
    ("x.y = 1\nx.y = 2", "2:1: 'x.y' is set already, in line 1"),
    ("x = 1\n\"x\" = 2", "2:1: 'x' is set already, in line 1"),
    ("\"\u{E9}\" = 1\n\"e\u{301}\" = 2", "2:1: 'e\u{301}' is set already, in line 1"),
    ("x = { y = 1, y = 2 }", "1:14: 'y' is set already, in line 1"),
    ("[x]\n[x]", "2:1: 'x' is a table already, in line 1; [x] cannot begin it once more"),
    ("x.y = 1\n[x]", "2:1: 'x' is a table already, in line 1; [x] cannot begin it once more"),
    (
      "[a]\nx.y = 1\n[a.x]",
      "3:1: 'a.x' is a table already, in line 2; [a.x] cannot begin it once more"
    ),
    (
      "x = {}\n[x]", "2:1: 'x' is an inline table already, in line 1; [x] cannot begin it once more"
    ),
    ("x = {}\n[x.y]", "2:1: 'x' is an inline table already, in line 1; no [table] can be in it"),
    (
      "x = {}\nx.y = 1",
      "2:1: 'x' is an inline table already, in line 1; a key with dots cannot add to it"
    ),
    ("x = 1\nx.y = 1", "2:1: 'x' is a value already, in line 1; a key with dots cannot add to it"),
    ("x = [{}]\n[[x]]", "2:1: 'x' is an array already, in line 1; [[x]] cannot add to it"),
    ("x = []\n[x.y]", "2:1: 'x' is an array already, in line 1; no [table] can be in it"),
    ("[x]\n[[x]]", "2:1: 'x' is a table already, in line 1; [[x]] cannot add to it"),
    (
      "[[x]]\n[x]",
      "2:1: 'x' is an array of tables already, in line 1; [x] cannot begin it once more"
    ),
    (
      "[a.b.c]\nz = 9\n[a]\nb.c.t = 1",
      "4:1: 'b.c' is a table already, in line 1; a key with dots cannot add to it"
    ),
  ])
  func `what is there already`(_ text: String, _ expected: String) throws {
    #expect(try refusal(text) == expected)
  }

  @Test(arguments: [
    ("x = 10 ms", "1:5: '10 ms' is not a value; text must be in quotes"),
    ("x = [80 %]", "1:6: '80 %' is not a value; text must be in quotes"),
    ("x = -6dB # loud", "1:5: '-6dB' is not a value; text must be in quotes"),
    ("x = yes", "1:5: 'yes' is not a value; write true"),
    ("x = False", "1:5: 'False' is not a value; write false"),
    (
      "x = 048",
      "1:5: '048' is not a number; '_' and '.' stand between digits, and 0 begins no other number"
    ),
    (
      "x = 1__0",
      "1:5: '1__0' is not a number; '_' and '.' stand between digits, and 0 begins no other number"
    ),
    (
      "x = .5",
      "1:5: '.5' is not a number; '_' and '.' stand between digits, and 0 begins no other number"
    ),
    ("x = +0x1", "1:5: '+0x1' is not a value; text must be in quotes"),
    ("x = 1e", "1:5: '1e' is not a value; text must be in quotes"),
    ("x = 0xFFFFFFFFFFFFFFFF", "1:5: the number '0xFFFFFFFFFFFFFFFF' is too large for 64 bits"),
    ("x = -1e999", "1:5: the number '-1e999' is too large for 64 bits"),
    ("x = ]", "1:5: ']' where a value should be"),
    ("x = [1, 2", "1:5: the array that begins here has no ']'"),
    ("x = [1\ny = 2", "2:1: ',' is missing before this, or ']' of the array in line 1"),
    ("x = [1,, 2]", "1:8: there is no value before ','"),
    ("x = { a = 1, }", "1:14: a comma before the '}' of an inline table"),
    ("x = { a = 1 b = 2 }", "1:11: '1 b = 2' is more than a value; each key has its own line"),
    ("x = { a = 'b' c }", "1:15: 'c' in an inline table, where ',' or '}' should be"),
    (
      "x = { a = 1,\n b = 2 }",
      "1:5: the inline table that begins here has no '}' in its line; one of several lines is a [table] with its keys below"
    ),
  ])
  func values(_ text: String, _ expected: String) throws {
    #expect(try refusal(text) == expected)
  }

  @Test(arguments: [
    (
      "x = \"C:\\dir\"",
      "1:8: '\\d' is no escape; a backslash is written '\\\\', or stands in a string in '…'"
    ),
    ("x = \"\\u12\"", "1:6: an escape with 4 hexadecimal digits has fewer"),
    ("x = \"\\ud800\"", "1:6: there is no character U+d800"),
    ("x = \"\\U00110000\"", "1:6: there is no character U+110000"),
    ("x = \"\\u0000\"", "1:6: TOML, but a string has a NUL character in it"),
    ("x = 'a", "1:5: the string that begins here has no closing ' in its line"),
    ("x = '''a\n\n''", "1:5: the string that begins here has no closing '''"),
    ("x = \"a\u{1}\"", "1:7: there is a control character (U+0001)"),
    ("x = 1 # a\u{7F}", "1:10: there is a control character (U+007f)"),
    ("x = '''a\rb'''", "1:9: a line ends in a lone CR"),
    ("x = 1\ry = 2", "1:6: a line ends in a lone CR"),
    ("\0", "1:1: '\\u{0}' is not part of a key; it must be in quotes, if anywhere"),
    ("x = ‘a’", "1:5: ‘ is not a quote of TOML's; text is in \"…\" or '…'"),
  ])
  func `strings and characters`(_ text: String, _ expected: String) throws {
    #expect(try refusal(text) == expected)
  }

  /// Tables and arrays count alike, however they are written.
  @Test(arguments: [
    ("x = ", "[", "1", "]", 24), ("x = ", "{ a = ", "1", "}", 24), ("", "a.", "x = 1", "", 24),
    ("[", "a.", "a]", "", 23), ("[a.a.a.a.a.a]\nx = ", "[", "1", "]", 18),
    ("[[a]]\nb.b = ", "{ c.d = ", "1", "}", 10), ("[[a]]\nb.b = ", "[", "1", "]", 21),
  ])
  func depth(
    _ head: String, _ open: String, _ middle: String, _ close: String, _ count: Int
  ) throws {
    func text(_ count: Int) -> String {
      head + String(repeating: open, count: count) + middle + String(repeating: close, count: count)
    }
    #expect(throws: Never.self) { try TOMLText.root(text(count)) }
    #expect(try refusal(text(count + 1)).hasSuffix("nested more than 24 deep; no profile is"))
  }
}
