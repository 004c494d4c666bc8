import Pulse
import PulseTypes
import Testing

@testable import AudioSession

@Suite("What a server has reported")
struct ReportsTests {
  @Test("how often, when last, and nothing about the time before the connection")
  func reports() {
    let begin = SuspendingClock.now
    var reports = Reports(from: begin)
    let microphone = ObjectID(.source, 3)
    let stream = ObjectID(.sourceOutput, 3)
    func note(_ kind: PulseEvent.Kind, at seconds: Int) {
      reports.note(
        PulseEvent(facility: .source, kind: kind, index: 3), at: begin + .seconds(seconds))
    }
    #expect(reports.haveNone(of: [microphone, stream], since: begin))
    #expect(!reports.haveNone(of: [microphone, stream], since: begin - .seconds(1)))
    note(.new, at: 1)
    note(.change, at: 5)
    #expect(reports.count(of: microphone) == 2)
    #expect(reports.count(of: stream) == 0)
    #expect(!reports.haveNone(of: [microphone, stream], since: begin + .seconds(4)))
    #expect(!reports.haveNone(of: [microphone, stream], since: begin + .seconds(5)))
    #expect(reports.haveNone(of: [microphone, stream], since: begin + .seconds(6)))
    #expect(reports.haveNone(of: [stream], since: begin))
    // The next object of that index is another one.
    note(.remove, at: 7)
    #expect(reports.count(of: microphone) == 0)
  }
}
