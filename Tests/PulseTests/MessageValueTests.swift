import TestSupport
import Testing

@testable import Pulse

@Suite("Answers to messages")
struct MessageValueTests {
  @Test("a hostile answer takes no longer than its length, and one too long is none")
  func longAnswers() throws {
    let escapes = "\"" + String(repeating: "\\u0041", count: 40_000) + "\""
    let start = ContinuousClock.now
    #expect(MessageValue(escapes)?.text?.utf8.count == 40_000)
    // Half a minute where each escape walked through all that was left.
    #expect(ContinuousClock.now - start < .seconds(3))
    let longest = MessageValue.longest - 2
    #expect(MessageValue("\"" + String(repeating: "a", count: longest) + "\"") != nil)
    #expect(MessageValue("\"" + String(repeating: "a", count: longest + 1) + "\"") == nil)
  }

  @Test("codecs as PulseAudio and pipewire-pulse list them")
  func codecs() {
    let answer = """
      [ {"name":"sbc","description":"SBC"}, {"name":"6", "description":"apt\\"X\\u0020HD"} ]
      """
    let list = MessageValue(answer)?.list
    #expect(list?.compactMap { $0["name"]?.text } == ["sbc", "6"])
    #expect(list?.compactMap { $0["description"]?.text } == ["SBC", "apt\"X HD"])
    #expect(MessageValue("\"aptx\"")?.text == "aptx")
    #expect(MessageValue("null")?.text == nil)
    #expect(MessageValue("[]")?.list == [])
    #expect(MessageValue("{}") == .object([:]))
  }

  @Test(
    "what is no JSON is no answer",
    arguments: [
      "", " ", "[", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "\"open", "\"\\", "\"\\u12", "[] x", "]",
      String(repeating: "[", count: 10_000),
    ])
  func hostile(_ text: String) {
    #expect(MessageValue(text) == nil)
  }

  @Test("a text becomes a JSON string that means it")
  func quoted() {
    for text in ["aptx", "a\"b", "\\", "ä"] {
      #expect(MessageValue(MessageValue.quoted(text))?.text == text)
    }
  }

  @Test("no answer ends the process, whatever it holds")
  func mutations() {
    let answer = """
      [{"name":"sbc","description":"SBC","id":[1,2.5,-3]},{"name":"6","description":"apt\\"X\\u0020HD",
      "nested":{"a":[true,null,{"b":"\\n\\t"}]}}]
      """
    var read = 0
    var texts = HostileTexts(Array(answer.utf8), seed: 1)
    for _ in 0..<HostileTexts.count(3000) {
      guard let value = MessageValue(String(decoding: texts.next(), as: UTF8.self)) else {
        continue
      }
      read += 1
      for item in value.list ?? [] { _ = item["name"]?.text.map(MessageValue.quoted) }
    }
    #expect(read > 1000)
  }
}
