import Testing

@testable import JSONCoding

@Suite struct EncodingTests {
  private struct Everything: Codable, Equatable {
    enum Kind: String, Codable { case first, second }
    enum Choice: Codable, Equatable { case none, one(Int), named(name: String, values: [Double]) }
    struct Part: Codable, Equatable { var name: String?, level: Double? }

    var flag = true
    var zebra = "z"
    var apple: String?
    var number = -7
    var wide = UInt64.max
    var small: Int8? = -8
    var ratio = 0.25
    var whole = 48000.0
    var tiny: Float = 1e-9
    var kind = Kind.second
    var choices = [Choice.none, .one(1), .named(name: "n", values: [])]
    var part = Part(name: nil, level: 1)
    var parts: [Part?] = [nil, Part(name: "b", level: nil)]
    var byName = ["b": [1], "a": [], "c": [2, 3]]
    var byNumber = [4: "four"]
  }

  private func text(_ value: some Encodable, _ style: JSON.Style = .file) throws -> String {
    String(decoding: try JSON.encode(value, style), as: UTF8.self)
  }

  private static func shown(_ isOneLine: Bool) -> JSON.Style {
    .shown(isOneLine: isOneLine) { $0.value == 0x7F || $0.value == 0x1F399 }
  }

  @Test func `keys come in the order of the type, dictionaries by name, nothing is left out`()
    throws
  {
    #expect(
      try text(Everything()) == """
        {"flag":true,"zebra":"z","number":-7,"wide":18446744073709551615,"small":-8,"ratio":0.25,\
        "whole":48000,"tiny":1e-09,"kind":"second",\
        "choices":[{"none":{}},{"one":{"_0":1}},{"named":{"name":"n","values":[]}}],\
        "part":{"level":1},"parts":[null,{"name":"b"}],"byName":{"a":[],"b":[1],"c":[2,3]},\
        "byNumber":{"4":"four"}}
        """)
  }

  @Test func `what is not there is null where the type asks for that`() throws {
    #expect(
      try text(Everything.Part(name: nil, level: nil), Self.shown(true))
        == "{}")
    struct All: EncodableWithNulls {
      var a: Bool?, b: String?, c: Double?, d: Float?, e: Int?, f: Int8?, g: Int16?, h: Int32?
      var i: Int64?, j: UInt?, k: UInt8?, l: UInt16?, m: UInt32?, n: UInt64?, o: [Int]?
    }
    let nulls = "abcdefghijklmno".map { "\"\($0)\":null" }.joined(separator: ",")
    #expect(try text(All(), Self.shown(true)) == "{\(nulls)}")
    #expect(try text(All()) == "{\(nulls)}")
  }

  @Test func `a dictionary comes in the order of its keys' texts`() throws {
    enum Key: String, Encodable, CodingKeyRepresentable { case zebra, ape }
    #expect(try text([Key.zebra: 1, .ape: 2]) == #"{"ape":2,"zebra":1}"#)
    #expect(try text(["b": 1, "a": 2, "a b": 3]) == #"{"a":2,"a b":3,"b":1}"#)
    #expect(try text([2: 1, 10: 2]) == #"{"10":2,"2":1}"#)
  }

  @Test func `long objects and lists take several lines`() throws {
    struct Row: Encodable { var name: String, values: [Int] }
    let long = String(repeating: "x", count: 50)
    let rows = [Row(name: "a", values: []), Row(name: long, values: Array(0..<3))]
    #expect(
      try text(["rows": [rows[0]]], Self.shown(false))
        == #"{ "rows": [{ "name": "a", "values": [] }] }"#)
    #expect(
      try text(["rows": rows], Self.shown(false)) == """
        {
          "rows": [
            { "name": "a", "values": [] },
            { "name": "\(long)", "values": [0, 1, 2] }
          ]
        }
        """)
    #expect(try text([String](), Self.shown(false)) == "[]")
    #expect(try text([String: Int](), Self.shown(false)) == "{}")
  }

  @Test(arguments: [
    ("plain / ü", #""plain / ü""#), ("\"\\", #""\"\\""#), ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#),
    ("\0\u{1B}", #""\u0000\u001b""#), ("a\u{7F}", #""a\u007f""#), ("🎙", #""\ud83c\udf99""#),
  ])
  func strings(_ string: String, _ expected: String) throws {
    #expect(try text([string], Self.shown(true)) == "[\(expected)]")
    #expect(try JSON.decode([String].self, from: "[\(expected)]".utf8) == [string])
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func `a number that JSON does not have is an error`(_ number: Double) {
    #expect(throws: EncodingError.self) { try JSON.encode([number]) }
  }

  @Test func `what was written is read as the same`() throws {
    let value = Everything()
    for style in [JSON.Style.file, Self.shown(true), Self.shown(false)] {
      #expect(try JSON.decode(Everything.self, from: JSON.encode(value, style)) == value)
    }
  }
}
