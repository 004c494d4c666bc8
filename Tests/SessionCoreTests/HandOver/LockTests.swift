import Testing

@testable import SessionCore

@Suite("Whose turn it is to have the lock")
struct LockTests {
  private typealias Owner = LockRecord.Owner

  private static func owner(_ pid: Int32, isHolding: Bool = true) -> LockRecord.Owner {
    LockRecord.Owner(pid: pid, name: "audiosession", isHolding: isHolding)
  }

  private static func view(
    _ last: LockRecord.Last, _ interrupted: [Int32] = [], isTaken: Bool = false
  ) -> LockView {
    var record = LockRecord()
    record.last = last
    record.interrupted = interrupted
    return LockView(isTaken: isTaken, record: record)
  }

  @Test(
    "a record is read as it was written",
    arguments: [
      LockRecord.Last.nothing, .taken(owner(4711)), .taken(owner(7, isHolding: false)),
      .taken(Owner(pid: 7, name: "my program", isHolding: true)), .released(by: 7, to: nil),
      .released(by: 7, to: 12),
    ], [[], [4711], [3, 2, 1]])
  func roundTrip(_ last: LockRecord.Last, _ interrupted: [Int32]) {
    let record = Self.view(last, interrupted).record
    #expect(LockRecord(bytes: record.bytes) == record)
    #expect(record.bytes.count == 512)
  }

  @Test("what is no record says nothing, and an older version's is understood")
  func otherRecords() {
    for text in ["", "\0\0\0", "schema = ", "-1 holder x", "released", "12345678901 holder x"] {
      #expect(LockRecord(bytes: Array(text.utf8)) == LockRecord(), "\(text)")
    }
    #expect(LockRecord(bytes: Array("12 holder a\n".utf8)).owner?.pid == 12)
    #expect(LockRecord(bytes: Array("released 12\n".utf8)).last == .released(by: 12, to: nil))
  }

  @Test("who is interrupted comes before those that were already, and who takes it leaves the line")
  func line() {
    var record = LockRecord().taken(by: Self.owner(1), isRunning: { _ in true })
    record = record.released(by: 1, to: 2).taken(by: Self.owner(2), isRunning: { _ in true })
    record = record.released(by: 2, to: 3)
    #expect(record.interrupted == [2, 1])
    #expect(record.last == .released(by: 2, to: 3))
    record = record.taken(by: Self.owner(3), isRunning: { _ in true })
    #expect(record.released(by: 3, to: nil).interrupted == [2, 1])
    #expect(record.taken(by: Self.owner(2), isRunning: { _ in true }).interrupted == [1])
    // Who was first and did not come is not waited for again.
    #expect(record.taken(by: Self.owner(1), isRunning: { _ in true }).interrupted == [])
    #expect(record.taken(by: Self.owner(4), isRunning: { $0 == 1 }).interrupted == [])
    #expect(record.taken(by: Self.owner(4), isRunning: { _ in true }).interrupted == [1])
  }

  @Test("a claim: free, held, for a moment another's, meant for another")
  func claim() {
    var claim = LockClaim(process: 9)
    func next(_ view: LockView, at now: Duration = .zero, ended: Int32? = nil) -> LockClaim.Action {
      claim.next(view, at: now) { $0 != ended }
    }
    #expect(next(Self.view(.nothing)) == .take)
    #expect(next(Self.view(.taken(Self.owner(1)))) == .take, "it was killed")
    #expect(next(Self.view(.taken(Self.owner(1)), isTaken: true)) == .held(Self.owner(1)))
    #expect(next(Self.view(.released(by: 1, to: 9), [1])) == .take)
    #expect(next(Self.view(.released(by: 1, to: nil), [9, 1])) == .take)
    #expect(next(Self.view(.released(by: 2, to: nil), [1]), ended: 1) == .take)
    // A command, somebody who has not signed yet, and who is to have it: each for a moment.
    let command = Self.view(.taken(Self.owner(1, isHolding: false)), isTaken: true)
    #expect(next(command) == .wait(.milliseconds(1)))
    #expect(next(Self.view(.released(by: 1, to: nil), isTaken: true)) == .wait(.milliseconds(2)))
    let meant = Self.view(.released(by: 1, to: 2), [1])
    #expect(next(meant, at: .seconds(1)) == .wait(.milliseconds(4)))
    #expect(next(meant, at: .seconds(2.9)) == .wait(.milliseconds(8)))
    #expect(next(meant, at: .seconds(3)) == .take, "it does not come")
    // The end of the one that took over: who was interrupted resumes first.
    let over = Self.view(.released(by: 2, to: nil), [1])
    #expect(next(over, at: .seconds(4)) == .wait(.milliseconds(16)))
    #expect(next(over, at: .seconds(6)) == .take)
    // Who has less time waits for half of it.
    var hasty = LockClaim(process: 9, within: .seconds(1))
    #expect(hasty.next(over, at: .zero) { _ in true } == .wait(.milliseconds(1)))
    #expect(hasty.next(over, at: .milliseconds(500)) { _ in true } == .take)
  }

  @Test("who waits: the last interrupted goes on first, the others watch its end")
  func wait() {
    var wait = LockWait(process: 1)
    func next(
      _ view: LockView, at now: Duration = .zero, ended: Int32? = nil
    ) -> LockWait.Action {
      wait.next(view, at: now) { $0 != ended }
    }
    #expect(next(Self.view(.taken(Self.owner(2)), [1], isTaken: true)).watched == 2)
    let second = Self.view(.taken(Self.owner(3)), [2, 1], isTaken: true)
    #expect(next(second) == LockWait.Action(watched: 3))
    // Killed, and the lock free: the other's turn.
    let killed = Self.view(.taken(Self.owner(3)), [2, 1])
    #expect(next(killed) == LockWait.Action(watched: 2, alarm: .seconds(5)))
    #expect(next(killed, at: .seconds(2)) == LockWait.Action(watched: 2, alarm: .seconds(3)))
    #expect(next(killed, ended: 2) == LockWait.Action(takes: true))
    #expect(next(killed, at: .seconds(5)) == LockWait.Action(takes: true))
    // Given back for somebody, and to nobody.
    #expect(next(Self.view(.released(by: 2, to: 3), [2, 1])).watched == 3)
    #expect(next(Self.view(.released(by: 2, to: 3), [2, 1]), ended: 3).watched == 2)
    #expect(next(Self.view(.released(by: 2, to: nil), [1])).takes)
    // Who had it meanwhile, unseen, takes nothing of another's time.
    for (end, holder) in [(10, 3), (15, 4)] as [(Int, Int32)] {
      let free = Self.view(.released(by: holder, to: nil), [2, 1])
      #expect(next(free, at: .seconds(end)) == LockWait.Action(watched: 2, alarm: .seconds(5)))
    }
    // Of one's own process nothing is watched: it tells by the file.
    #expect(next(Self.view(.taken(Self.owner(1)), isTaken: true)) == LockWait.Action())
  }

  @Test("who waits never asks without a pause")
  func nobodySpins() {
    var wait = LockWait(process: 1)
    let view = Self.view(.taken(Self.owner(2)), [1], isTaken: true)
    #expect(wait.next(view, at: .zero) { _ in true }.watched == 2)
    var total = Duration.zero
    for _ in 0..<20 {
      // Its end was told, but its lock is still taken, and its number still in use.
      wait.noteEnd(of: 2)
      let action = wait.next(view, at: total) { _ in true }
      #expect(action.watched == nil)
      total += action.alarm ?? .zero
    }
    #expect(total > .seconds(10))
    for _ in 0..<20 { total += wait.noteRefused(at: .zero).alarm ?? .zero }
    #expect(total > .seconds(30))
  }

  @Test func `an order to this holder is never missed, and one to another is not carried out`() {
    var desk = OrderDesk(process: 7)
    // It was written while the holder, which had signed the lock, was not listening yet.
    desk.begin(answered: nil)
    #expect(desk.look(.init(number: 3, holder: 7)) == [.carryOut(3)])
    #expect(desk.look(.init(number: 3, holder: 7)) == [])
    #expect(desk.look(nil) == [.stop(3)])
    #expect(desk.look(.init(number: 4, holder: 8)) == [])
    #expect(desk.look(.init(number: 5, holder: 7)) == [.carryOut(5)])
    #expect(desk.look(.init(number: 6, holder: 7)) == [.stop(5), .carryOut(6)])
    desk.didEnd(6)
    #expect(!desk.isCurrent(6) && desk.look(nil) == [])
    #expect(desk.look(.init(number: 7, holder: 7)) == [.carryOut(7)])
    // It holds no longer, and then holds again.
    desk.putBack(7)
    desk.begin(answered: 6)
    #expect(desk.look(.init(number: 7, holder: 7)) == [.carryOut(7)])
  }

  @Test func `an order that was answered is not carried out again`() {
    var desk = OrderDesk(process: 7)
    desk.begin(answered: 3)
    #expect(desk.look(.init(number: 3, holder: 7)) == [])
    #expect(desk.look(.init(number: 4, holder: 7)) == [.carryOut(4)])
  }
}
