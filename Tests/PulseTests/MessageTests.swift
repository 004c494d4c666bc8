import TestSupport
import Testing

@testable import Pulse

@Suite("Answers to messages")
struct MessageTests {
  @Test("an answer that is too long is none")
  func longAnswers() {
    let longest = Message.longest - 2
    func text(_ length: Int) -> MessageText? {
      Message.parse("\"" + String(repeating: "a", count: length) + "\"", as: MessageText.self)
    }
    #expect(text(longest)?.text?.utf8.count == longest)
    #expect(text(longest + 1) == nil)
  }

  @Test("codecs as PulseAudio and pipewire-pulse list them")
  func codecs() {
    let answer = """
      [ {"name":"sbc","description":"SBC"}, {"name":6, "description":"apt\\"X\\u0020HD"}, {"name":"x"} ]
      """
    let list = Message.parse(answer, as: [MessageCodec].self)
    #expect(list?.map(\.name.text) == ["sbc", "6", "x"])
    #expect(list?.map(\.description?.text) == ["SBC", "apt\"X HD", nil])
    #expect(Message.parse("\"aptx\"", as: MessageText.self)?.text == "aptx")
    #expect(Message.parse("null", as: MessageText.self)?.text == nil)
    #expect(Message.parse("[]", as: [MessageCodec].self) == [])
  }

  @Test(
    "what is no JSON is no answer",
    arguments: [
      "", " ", "[", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "\"open", "\"\\", "\"\\u12", "[] x", "]",
      String(repeating: "[", count: 10_000),
    ])
  func hostile(_ text: String) {
    #expect(Message.parse(text, as: [MessageCodec].self) == nil)
    #expect(Message.parse(text, as: MessageText.self) == nil)
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
      let text = String(decoding: texts.next(), as: UTF8.self)
      if Message.parse(text, as: [MessageCodec].self) != nil { read += 1 }
    }
    #expect(read > 100)
  }
}
