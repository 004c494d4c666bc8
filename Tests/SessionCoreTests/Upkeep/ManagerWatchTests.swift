import PulseTypes
import Testing

@testable import SessionCore

@Suite("A session manager that was started anew")
struct ManagerWatchTests {
  @Test("another one is new for a while; the first, and the same one again, are not")
  func noticed() {
    var watch = ManagerWatch()
    watch.note(Index(7), at: .seconds(1))
    #expect(!watch.isNew(at: .seconds(1)))
    watch.note(nil, at: .seconds(2))
    watch.note(Index(7), at: .seconds(3))
    #expect(!watch.isNew(at: .seconds(3)))
    watch.note(nil, at: .seconds(4))
    watch.note(Index(8), at: .seconds(5))
    #expect(watch.isNew(at: .seconds(5)) && watch.isNew(at: .milliseconds(9_999)))
    watch.note(Index(8), at: .seconds(9))
    #expect(!watch.isNew(at: .seconds(10)))
    watch.noteReset(at: .seconds(20))
    watch.note(Index(8), at: .seconds(20))
    #expect(watch.isNew(at: .seconds(21)) && !watch.isNew(at: .seconds(25)))
  }
}
