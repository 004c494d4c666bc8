import Testing

@testable import Pulse

@Suite("Answers to messages")
struct MessageValueTests {
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
}
