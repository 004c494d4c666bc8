import PulseTypes
import Testing

@testable import SessionCore

/// The mark of a holder, and which of several counts.
@Suite("The mark of a holder")
struct HolderMarkTests {
  private func mark(_ process: Int32, claims: Bool = false) -> HolderMark {
    HolderMark(isClaim: claims, process: process, files: "unix%3A%2Fx", name: "audio session")
  }

  private func snapshot(_ marks: String...) -> ServerSnapshot {
    ServerSnapshot(
      server: ServerInfo(
        name: "pulseaudio", version: "16.1",
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
        defaultSinkName: nil, defaultSourceName: "mic", cookie: 1),
      clients: marks.enumerated().map { number, text in
        Client(index: Index(UInt32(number)), name: "x", properties: [HolderMark.key: text])
      })
  }

  @Test("it reads what it wrote, and nothing else")
  func text() {
    for claims in [true, false] {
      #expect(HolderMark(mark(7, claims: claims).text) == mark(7, claims: claims))
    }
    for text in [
      "", "holds", "holds x y z", "holds 0 y z", "holds -1 y z", "holds 99999999999 y z",
      "holds 1 ../y z", "keeps 1 y z", "holds 1 y",
    ] {
      #expect(HolderMark(text) == nil, "\(text)")
    }
  }

  @Test("a holder is seen by all; of two that begin the earlier one goes on")
  func order() {
    let (one, two) = (mark(1, claims: true), mark(2, claims: true))
    #expect(snapshot(one.text, "junk").holder(beside: one) == nil)
    #expect(snapshot(one.text, two.text).holder(beside: one) == nil)
    #expect(snapshot(one.text, two.text).holder(beside: two) == one)
    #expect(snapshot(one.text, mark(2).text).holder(beside: one) == mark(2))
    #expect(snapshot("", mark(2).text).holder(beside: nil) == mark(2))
  }
}
