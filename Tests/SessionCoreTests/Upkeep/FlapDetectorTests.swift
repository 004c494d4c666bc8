import PulseTypes
import SessionCore
import Testing

@Suite("Grace for what flaps")
struct FlapDetectorTests {
  private let microphone = Attachment.device("mic")

  @Test("the first return is used at once, the second after it has stayed")
  func returns() {
    var watch = FlapDetector()
    watch.note([microphone], at: .zero)
    watch.note([], at: .seconds(1))
    watch.note([microphone], at: .seconds(2))
    #expect(watch.unsteady(at: .seconds(2)).isEmpty)
    watch.note([], at: .seconds(3))
    watch.note([microphone], at: .seconds(4))
    #expect(watch.unsteady(at: .seconds(4)) == [microphone])
    #expect(watch.nextEnd(after: .seconds(4)) == .seconds(7))
    #expect(watch.unsteady(at: .seconds(7)).isEmpty)
    #expect(watch.nextEnd(after: .seconds(7)) == nil)
  }

  @Test("each departure begins the wait anew")
  func again() {
    var watch = FlapDetector()
    for second in 0..<8 {
      watch.note(second % 2 == 0 ? [microphone] : [], at: .seconds(second))
    }
    #expect(watch.unsteady(at: .seconds(7)).isEmpty, "it is away")
    watch.note([microphone], at: .seconds(8))
    #expect(watch.nextEnd(after: .seconds(8)) == .seconds(11))
  }

  @Test("departures long ago do not count")
  func window() {
    var watch = FlapDetector()
    watch.note([microphone], at: .zero)
    watch.note([], at: .seconds(1))
    watch.note([microphone], at: .seconds(2))
    watch.note([], at: .seconds(30))
    watch.note([microphone], at: .seconds(31))
    #expect(watch.unsteady(at: .seconds(31)).isEmpty)
  }

  @Test("what is asked anew is forgotten")
  func forget() {
    var watch = FlapDetector()
    for second in 0..<5 {
      watch.note(second % 2 == 0 ? [microphone] : [], at: .seconds(second))
    }
    #expect(!watch.unsteady(at: .seconds(4)).isEmpty)
    watch.forget()
    #expect(watch.unsteady(at: .seconds(4)).isEmpty)
  }
}
