import SessionCore
import Testing

@testable import SessionProfiles

/// What TOML 1.0 has, as nodes.
@Suite struct TOMLValueTests {
  /// The value of `x`, in one line.
  private func value(_ text: String) throws -> String {
    let root = try TOMLText.root(text)
    let entry = try #require(root.table?.first { $0.key == "x" })
    return show(entry.node)
  }

  private func show(_ node: Node) -> String {
    switch node.value {
    case .string(let string): string.debugDescription
    case .integer(let integer): "\(integer)"
    case .double(let double): "\(double)"
    case .boolean(let boolean): "\(boolean)"
    case .other(let name): "(\(name))"
    case .array(let nodes): "[" + nodes.map(show).joined(separator: ", ") + "]"
    case .table(let entries):
      "{" + entries.map { "\($0.key): \(show($0.node))" }.joined(separator: ", ") + "}"
    }
  }

  @Test(arguments: ["", "a\r\n\tb", "\"\\\"", "\u{1}\u{8}\u{C}\u{7F}\u{85}", "é 😀 %"])
  func `what is written as a string reads back`(_ text: String) throws {
    #expect(try value("x = " + TOMLWords.quoted(text)) == text.debugDescription)
  }

  @Test(arguments: [
    ("0", "0"), ("+7", "7"), ("-0", "0"), ("1_000_000", "1000000"), ("0xDEAD_beef", "3735928559"),
    ("0o755", "493"), ("0b1101", "13"), ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"), ("0x00", "0"),
    ("0.5", "0.5"), ("-3.25", "-3.25"), ("5e+22", "5e+22"), ("1E06", "1000000.0"),
    ("6.5e-4", "0.00065"), ("9_2.6_5", "92.65"), ("-0.0", "-0.0"), ("inf", "inf"),
    ("-inf", "-inf"), ("+nan", "nan"), ("1e-999", "0.0"),
    ("true", "true"), ("false", "false"),
    ("1979-05-27", "(date)"), ("2000-02-29", "(date)"), ("07:32:00", "(date)"),
    ("07:32:00.999999", "(date)"), ("1979-05-27T07:32:00Z", "(date)"),
    ("1979-05-27 07:32:00.5-08:00", "(date)"), ("1979-05-27t00:32:60", "(date)"),
  ])
  func `numbers, words and dates`(_ text: String, _ expected: String) throws {
    #expect(try value("x = \(text)") == expected)
    #expect(try value("x = \(text) # and a comment\r\n") == expected)
    #expect(try value("x = [\(text)]") == "[\(expected)]")
    #expect(try value("x = {y=\(text)}") == "{y: \(expected)}")
  }

  @Test(arguments: [
    (#""""#, ""), (#""a\tb""#, "a\tb"), (#""\b\f\n\r\"\\""#, "\u{8}\u{C}\n\r\"\\"),
    (#""\u00fc\U0001F399""#, "ü🎙"), (#"'C:\dir'"#, #"C:\dir"#), ("''", ""), ("'\"'", "\""),
    ("\"\"\"\nfirst\r\n  second\"\"\"", "first\n  second"),
    ("\"\"\"a \\\n\n   \t b\"\"\"", "a b"), ("\"\"\"a \\  \r\n b\"\"\"", "a b"),
    ("\"\"\"\"two\"\" quotes\"\"\"\"\"", "\"two\"\" quotes\"\""), ("\"\"\"\"\"\"", ""),
    ("'''\nno \\escape\n'''", "no \\escape\n"), ("'''''two'''''", "''two''"),
    ("\"tab\there\"", "tab\there"), ("\"# no comment\"", "# no comment"),
  ])
  func `strings, in the four quotings`(_ text: String, _ expected: String) throws {
    #expect(try value("x = \(text)") == expected.debugDescription)
  }

  @Test(arguments: [
    ("x = []", "[]"), ("x = [ 1, # one\n\n 'two',\n]", "[1, \"two\"]"),
    ("x = [[1], [[]]]", "[[1], [[]]]"),
    ("x = {}", "{}"), ("x = { a.b = 1, a.c = 2, 'd e' = [] }", "{a: {b: 1, c: 2}, d e: []}"),
    ("x.y.z = 1\nx.'y'.\"w\" = 2", "{y: {z: 1, w: 2}}"),
    ("[x]\na = 1\n[x.y]\nb = 2", "{a: 1, y: {b: 2}}"),
    ("[x.y]\nb = 2\n[x]\na = 1", "{y: {b: 2}, a: 1}"),
    ("[x.y.z]\na = 1\n[x]\ny.w = 2", "{y: {z: {a: 1}, w: 2}}"),
    ("[x]\ny.a = 1\n[x.y.z]\nb = 2", "{y: {a: 1, z: {b: 2}}}"),
    ("[[x]]\na = 1\n[x.y]\nb = 2\n[[x]]\n[[x.z]]\n[[x.z]]", "[{a: 1, y: {b: 2}}, {z: [{}, {}]}]"),
    ("'' = 0\nx.\"\" = 1", "{: 1}"), ("x . 1 . -_- = 1", "{1: {-_-: 1}}"), ("3.14 = 1\nx = 2", "2"),
  ])
  func `arrays and tables`(_ text: String, _ expected: String) throws {
    #expect(try value(text) == expected)
  }

  @Test func `every key and every element has its place`() throws {
    let root = try TOMLText.root("a = 1\n[t]\n b.c = [\n  'ü', { d = 2, e = 3 }]\n[[l]]\n[[l]]\n")
    var places: [String] = []
    func walk(_ node: Node, _ path: String) {
      places.append("\(path) \(node.position.line):\(node.position.column)")
      for entry in node.table ?? [] { walk(entry.node, "\(path)/\(entry.key)") }
      for (at, element) in (node.array ?? []).enumerated() { walk(element, "\(path)/\(at)") }
    }
    walk(root, "")
    #expect(
      places == [
        " 1:1", "/a 1:1", "/t 2:1", "/t/b 3:2", "/t/b/c 3:2", "/t/b/c/0 4:3", "/t/b/c/1 4:8",
        "/t/b/c/1/d 4:10", "/t/b/c/1/e 4:17", "/l 5:1", "/l/0 5:1", "/l/1 6:1",
      ])
  }

  /// Each takes a fraction of a second; with the square of the length it would take minutes.
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      (0..<12_000).map { "k\($0) = \($0)" }.joined(separator: "\n"),
      String(repeating: "[[t]]\na = 1\n", count: 12_000),
      "x = {" + (0..<12_000).map { "k\($0) = 'v'" }.joined(separator: ", ") + "}",
      "x = [" + String(repeating: "1, ", count: 50_000) + "]",
      "x = " + String(repeating: "1", count: 300_000),
      "x = 1." + String(repeating: "1", count: 300_000),
      "x = \"\"\"" + String(repeating: "\"\" ", count: 100_000) + "\"\"\"",
      "x = " + String(repeating: " ", count: 300_000) + "1",
      "x = [" + String(repeating: "1" + String(repeating: " ", count: 98), count: 3_000) + "]",
    ])
  func `time grows with the length of the text alone`(_ text: String) {
    #expect(text.utf8.count < TOMLText.limit)
    _ = try? TOMLText.root(text)
  }
}
