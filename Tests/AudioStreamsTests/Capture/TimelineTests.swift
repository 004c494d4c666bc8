import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("Where one stretch of sound follows another")
struct TimelineTests {
  @Test("the clock says what is missing")
  func joins() {
    var timeline = Timeline(from: 400)
    #expect(timeline.join(at: 500, tolerance: 0) == .missing(nanoseconds: 0))
    #expect(timeline.join(at: 300, tolerance: 0) == .overlap(nanoseconds: 100))
    timeline.advance(to: 1000)
    #expect(timeline.join(at: 1500, tolerance: 10) == .missing(nanoseconds: 500))
    timeline.tell(500)
    timeline.advance(to: 2000)
    #expect(timeline.join(at: 1900, tolerance: 10) == .overlap(nanoseconds: 100))
    timeline.tell(-100)
    timeline.pause(until: 3000)
    #expect(timeline.join(at: 5000, tolerance: 0) == .missing(nanoseconds: 0))
    #expect(timeline.join(at: 2900, tolerance: 0) == .overlap(nanoseconds: 100))
    #expect(timeline.owed == 0)
  }

  @Test("what is too little to tell is told once it is more")
  func owes() {
    var timeline = Timeline(from: 0)
    var told: [Int64] = []
    for turn in 0..<10 {
      timeline.advance(to: Int64(turn) * 1000)
      guard case .missing(let time) = timeline.join(at: Int64(turn) * 1000 + 6, tolerance: 10)
      else { continue }
      told.append(time)
      timeline.tell(time)
    }
    #expect(told == [0, 12, 0, 12, 0, 12, 0, 12, 0, 12])
  }

  @Test("what was told too much is not made good by leaving out sound")
  func neverCuts() {
    var timeline = Timeline(from: 0)
    timeline.advance(to: 1000)
    #expect(timeline.join(at: 1500, tolerance: 10) == .missing(nanoseconds: 500))
    timeline.tell(500)
    timeline.tell(100)
    timeline.advance(to: 2000)
    #expect(timeline.join(at: 2000, tolerance: 10) == .missing(nanoseconds: 0))
    timeline.advance(to: 3000)
    #expect(timeline.join(at: 3300, tolerance: 10) == .missing(nanoseconds: 200))
    timeline.tell(200)
    // A gap stays one, however much is owed.
    timeline.tell(100)
    timeline.advance(to: 4000)
    #expect(timeline.join(at: 4150, tolerance: 10) == .missing(nanoseconds: 75))
  }
}
