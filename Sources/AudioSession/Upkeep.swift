import PulseTypes
import SessionCore

/// What a session that holds remembers while it maintains its mode.
struct Upkeep {
  let began = ContinuousClock.now
  var pacer = Pacer()
  var conflicts = ConflictDetector()
  /// When the next look is scheduled, so that no second one is.
  var scheduled: Duration?
  var looks = 0
  var resets = 0
  var reapplies = 0
  var isRecovering = false
  var interruptions = InterruptionWatch()
  var flaps = FlapDetector()
  /// Whether an interruption that no snapshot shows has ended since the last look.
  var hasResumed = false
  /// The server when the route was last told.
  var told: ServerSnapshot?
  /// The server that the flap detector compared last.
  private var heard: ServerSnapshot?
  /// What waited when it was last told.
  var pending: [Unmet] = []
  /// The state that other processes can read.
  var written: SessionState?
  var manager = ManagerWatch()
  var restores = RestoreWatch()
  private let awakeBegan = SuspendingClock.now
  private var asleep = Duration.zero
  private var wokeAt: Duration?

  var now: Duration { ContinuousClock.now - began }

  /// When to look next: at what has changed; or, later than `time`, after a pause because of a conflict, or at
  /// a device that is steady.
  func nextLook(after time: Duration) -> Duration? {
    [pacer.nextLook, conflicts.nextEnd(after: time), flaps.nextEnd(after: time)]
      .compactMap { $0 }.min()
  }

  /// Reports to the flap detector what is connected.
  mutating func noteSpots(_ snapshot: ServerSnapshot) {
    if let heard, heard.surelyHasSpots(of: snapshot) { return }
    heard = snapshot
    flaps.note(snapshot.spots, at: now)
  }

  /// Whether a look is called for by the moment that an alarm was set for.
  func isDue(_ alarm: Duration) -> Bool {
    nextLook(after: alarm - .nanoseconds(1)).map { $0 <= max(now, alarm) } ?? false
  }

  /// Whether the machine slept and woke within the last seconds: one clock stood still.
  mutating func hasSlept() -> Bool {
    let now = now
    let asleep = now - (SuspendingClock.now - awakeBegan)
    if asleep - self.asleep > .seconds(1) { wokeAt = now }
    self.asleep = asleep
    return wokeAt.map { now - $0 < .seconds(10) } ?? false
  }
}
