import FoundationEssentials
import Testing

@testable import JSONCoding

/// Texts of others: read as Foundation reads them, or refused; never the end of the process.
@Suite struct ReadingTests {
  /// A value as both readers make it.
  private indirect enum Tree: Decodable, Equatable {
    case null, flag(Bool), number(Double), string(String), list([Tree]), object([String: Tree])

    init(from decoder: any Decoder) throws {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        self = .null
      } else if let flag = try? single.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? single.decode(Double.self) {
        self = .number(number)
      } else if let string = try? single.decode(String.self) {
        self = .string(string)
      } else if let list = try? single.decode([Tree].self) {
        self = .list(list)
      } else {
        self = .object(try single.decode([String: Tree].self))
      }
    }
  }

  private static let good = [
    "null", "true", " [ ] ", "{}", "0", "-0", "12.5e-3", "1E+2", "\"\"", #""\u00fc\/\ud83c\udf99""#,
    "[1, [2, {\"a\": [null, false]}]]\n", #"{"a":1,"b":{"c":"d"},"long":[1,2,3,4,5,6,7,8,9,10]}"#,
    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":10}",
    "\t\r\n1 ",
  ]

  private static let bad = [
    "", " ", "nul", "nulll", "tru", "[1,]", "[1 2]", "[,]", "{", "[", "]", "}", "{1:2}", "{\"a\"}",
    "{\"a\":}", "{\"a\":1,}", "{\"a\" 1}", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"",
    "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "-", "+1", ".5", "1.", "1e",
    "01", "0x10", "Infinity", "NaN", "1 2", "{} []", "'a'", "\0", "1e999", "// a\n1",
  ]

  private func ours(_ text: [UInt8]) -> Tree? { try? JSON.decode(Tree.self, from: text) }

  @Test(arguments: good) func `good texts mean what they mean to Foundation`(_ text: String) throws
  {
    let theirs = try JSONDecoder().decode(Tree.self, from: Data(text.utf8))
    #expect(ours(Array(text.utf8)) == theirs)
  }

  @Test(arguments: bad) func `bad texts are refused`(_ text: String) {
    #expect(ours(Array(text.utf8)) == nil)
  }

  @Test func `what is not UTF-8 is refused`() {
    #expect(ours([0x22, 0xFF, 0x22]) == nil)
    #expect(ours([0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
  }

  @Test func `depth has a limit`() {
    func nested(_ count: Int) -> [UInt8] {
      Array(String(repeating: "[", count: count).utf8)
        + Array(String(repeating: "]", count: count).utf8)
    }
    // The innermost list is inside of all others.
    #expect(ours(nested(JSON.depthLimit + 1)) != nil)
    #expect(throws: JSON.Failure.self) {
      try JSON.decode(Tree.self, from: nested(JSON.depthLimit + 2))
    }
    #expect(throws: JSON.Failure.self) { try JSON.decode(Tree.self, from: nested(1_000_000)) }
  }

  /// Each prefix, and each with one byte changed, is refused, or read as Foundation reads it; that
  /// takes a comma before a bracket, too.
  @Test func mutations() {
    let text = Array(Self.good.joined(separator: ",").utf8)
    let list = [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")]
    #expect(ours(list) != nil)
    var read = 0
    for at in list.indices {
      _ = ours(Array(list[..<at]))
      for byte in "\"\\,:[]{}0-.e\n\u{1} t".utf8 {
        var mutated = list
        mutated[at] = byte
        guard let ours = ours(mutated) else { continue }
        let theirs = try? JSONDecoder().decode(Tree.self, from: Data(mutated))
        #expect(ours == theirs, "\(String(decoding: mutated, as: UTF8.self))")
        read += 1
      }
    }
    #expect(read > 100)
  }

  private struct Numbers: Decodable, Equatable { var a: UInt8, b: Int64, c: Double }

  @Test func `numbers that do not fit are refused, whole ones with a fraction are taken`() throws {
    func decode(_ text: String) throws -> Numbers { try JSON.decode(Numbers.self, from: text.utf8) }
    #expect(
      try decode(#"{"a":255.0,"b":-9223372036854775808,"c":1}"#)
        == Numbers(a: 255, b: .min, c: 1))
    for text in [
      #"{"a":256,"b":0,"c":0}"#, #"{"a":1.5,"b":0,"c":0}"#, #"{"a":0,"b":1e30,"c":0}"#,
      #"{"a":"0","b":0,"c":0}"#, #"{"a":0,"b":0}"#, #"{"a":0,"b":0,"c":null}"#, "[]", "1",
    ] {
      #expect(throws: DecodingError.self) { try decode(text) }
    }
  }

  @Test func `of two keys alike the first counts`() throws {
    #expect(try JSON.decode([String: Int].self, from: #"{"a":1,"a":2}"#.utf8) == ["a": 1])
  }
}
