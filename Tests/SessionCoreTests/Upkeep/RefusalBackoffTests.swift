import PulseTypes
import Testing

@testable import SessionCore

@Suite struct RefusalBackoffTests {
  private let setting = Setting.defaultDevice(.input)

  @Test("what is refused is requested a few times, and then waits for a change")
  func tries() {
    var backoff = RefusalBackoff()
    var (now, pauses) = (Duration.zero, [Duration]())
    backoff.note([setting], at: now)
    while let next = backoff.nextEnd(after: now) {
      pauses.append(next - now)
      now = next
      backoff.note([setting], at: now)
    }
    #expect(pauses == [1, 2, 4, 8, 16].map(Duration.seconds))
    backoff.note([setting], at: now + .seconds(60))
    #expect(backoff.nextEnd(after: now + .seconds(60)) == nil)
    backoff.note([], at: now)
    backoff.note([setting], at: now)
    #expect(backoff.nextEnd(after: now) == now + .seconds(1))
  }

  @Test("a look in between neither counts nor postpones")
  func between() {
    var backoff = RefusalBackoff()
    backoff.note([setting], at: .zero)
    for time in 1...9 { backoff.note([setting], at: .milliseconds(100 * time)) }
    #expect(backoff.nextEnd(after: .milliseconds(950)) == .seconds(1))
    backoff.note([setting, .defaultDevice(.output)], at: .milliseconds(950))
    #expect(backoff.nextEnd(after: .milliseconds(950)) == .milliseconds(1950))
  }
}
