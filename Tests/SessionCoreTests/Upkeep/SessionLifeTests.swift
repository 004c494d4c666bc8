import PulseTypes
import Testing

@testable import SessionCore

/// What a session is and has, in each state of its life: what cannot be at once is not there.
@Suite("The life of a session")
struct SessionLifeTests {
  private typealias Life = SessionLife<Lock, String>

  /// Counts its releases.
  private final class Lock: Sendable {
    let onRelease: @Sendable () -> Void
    init(_ onRelease: @escaping @Sendable () -> Void = {}) { self.onRelease = onRelease }
    deinit { onRelease() }
  }

  private static let level = Setting.volume(.input, device: "mic")

  private static func held(_ isChanged: Bool = false) -> Held {
    var baseline = Baseline()
    if isChanged { baseline.record(level, before: .flag(false), ours: .flag(true)) }
    return Held(baseline: baseline, memory: HintMemory(), generation: 3)
  }

  private static func holder(_ mode: String?, leaving isChanged: Bool = false) -> Life {
    var life = Life()
    life.take(Lock(), since: "now")
    life.endChange(mode, isInEffect: mode != nil, held(isChanged))
    return life
  }

  /// A duty as text.
  private static func duty(_ life: Life) -> String? {
    return switch life.duty {
    case .maintain(let mode): "maintain \(mode)"
    case .restore(let mode): "restore, keep \(mode ?? "nothing")"
    case .restoreReturned: "restore returned"
    case nil: nil
    }
  }

  @Test("only a holder remembers what it set, and has something to maintain")
  func holding() {
    var life = Life()
    life.declare("a")
    life.held = Self.held()
    #expect(life.held == nil && life.isActive && !life.isKept && Self.duty(life) == nil)
    life.take(Lock(), since: nil)
    life.endChange("a", isInEffect: true, Self.held())
    #expect(life.lock != nil && !life.isHolder && life.held == nil && Self.duty(life) == nil)
    life.take(Lock(), since: "now")
    life.endChange("a", isInEffect: true, Self.held())
    #expect(life.held?.generation == 3 && life.isKept && Self.duty(life) == "maintain a")
    life.release()
    #expect(life.lock == nil && life.held == nil && life.mode == "a" && Self.duty(life) == nil)
  }

  @Test("a mode that ended leaves what is unplugged, or all of it without a server")
  func ending() {
    #expect(Self.duty(Self.holder(nil)) == nil)
    var life = Self.holder(nil, leaving: true)
    #expect(Self.duty(life) == "restore returned")
    life.noteUnrestored(Baseline())
    #expect(Self.duty(life) == nil && life.held?.baseline.isEmpty == true)
    life.endChange("a", isInEffect: true, Self.held(true))
    // A mode in effect owes nothing.
    life.noteUnrestored(Self.held(true).baseline)
    #expect(Self.duty(life) == "maintain a")
    life.standDown()
    #expect(Self.duty(life) == "restore, keep a" && !life.isActive && life.mode == "a")
    life.noteUnrestored(Baseline())
    #expect(Self.duty(life) == "restore, keep a")
    // Another holder would be asked for it: it waits for the lock.
    life.wait(as: 7)
    #expect(Self.duty(life) == nil)
    life.take(Lock(), since: "later")
    #expect(Self.duty(life) == "restore, keep a")
    life.endChange("a", isInEffect: false, Self.held())
    #expect(Self.duty(life) == nil)
  }

  @Test("who does not hold leaves nothing to restore when its mode ends without a server")
  func endingWithoutHold() {
    var life = Life()
    life.declare("a")
    life.standDown()
    #expect(!life.isActive && life.mode == "a")
    life.take(Lock(), since: "now")
    #expect(Self.duty(life) == nil)
  }

  @Test("what another session left in effect is not restored by one without a mode")
  func leaving() {
    var life = Self.holder(nil, leaving: true)
    life.wait(as: 7)
    life.take(Lock(), since: "later")
    #expect(Self.duty(life) == "restore returned")
    life.leaveInEffect()
    #expect(Self.duty(life) == nil)
    var owing = Self.holder("a")
    owing.standDown()
    owing.leaveInEffect()
    #expect(Self.duty(owing) == "restore, keep a")
  }

  @Test("during a change only the store counts; after a failed one the former mode goes on")
  func changing() {
    var life = Self.holder("a")
    let former = life.beginChange()
    #expect(former != nil && life.held == nil)
    life.failChange(former, Self.held(true).baseline, besides: [], wasInEffect: true)
    #expect(Self.duty(life) == "maintain a" && life.held?.baseline[Self.level] != nil)
  }

  @Test("who waits has no lock, tries once at a time, and is called off by the end")
  func waiting() async throws {
    try await confirmation(expectedCount: 1) { released in
      var life = Life()
      life.take(Lock { released() }, since: "now")
      life.endChange("a", isInEffect: true, Self.held())
      life.wait(as: 7)
      #expect(life.lock == nil && life.isWaiting && life.held == nil && Self.duty(life) == nil)
      let free = LockView(isTaken: false, record: LockRecord(bytes: []))
      #expect(life.nextWaiting(free, at: .zero) { _ in true }?.takes == true)
      #expect(life.nextWaiting(free, at: .zero) { _ in true } == nil)
      #expect(life.mayTake(free, at: .zero) { _ in true })
      let pause = try #require(life.noteRefused(at: .zero)?.alarm)
      // Whatever happens to the file: a try that failed writes it, too.
      #expect(life.nextWaiting(free, at: .zero) { _ in true }?.takes == false)
      #expect(life.nextWaiting(free, at: pause) { _ in true }?.takes == true)
      life.take(Lock(), since: "later")
      #expect(life.noteRefused(at: .zero) == nil && life.isHolder)
      #expect(!life.mayTake(free, at: .zero) { _ in true }, "it has it")
      life.wait(as: 7)
      life.beginClosing()
      #expect(life.nextWaiting(free, at: .zero) { _ in true } == nil)
    }
  }

  @Test("a closing session still has its lock, a closed one nothing but its mode")
  func closing() {
    var life = Self.holder("a")
    life.beginClosing()
    #expect(life.isClosed && life.isClosing && life.isHolder && Self.duty(life) == nil)
    life.reopen()
    #expect(life.isClosing)
    life.close()
    life.beginClosing()
    #expect(life.isClosed && !life.isClosing && life.lock == nil && life.held == nil)
    life.take(Lock(), since: "now")
    #expect(life.lock == nil)
    life.reopen()
    #expect(!life.isClosed && life.lock == nil && life.mode == "a" && life.isActive)
  }
}
