import Pulse
import PulseTypes
import SessionCore

/// The memory of a holding session while it maintains its mode.
struct Upkeep {
  let began = ContinuousClock.now
  var pacer = Pacer()
  var conflicts = ConflictDetector()
  var refused = RefusalBackoff()
  /// What the last run left as the mode asks.
  var seen = ForeignChanges()
  /// When the next look is scheduled, so that it is scheduled only once.
  var scheduled: Duration?
  var looks = 0
  var resets = 0
  var reapplies = 0
  /// The default devices that were restored since the last state was published.
  var restoredDefaults: Set<String> = []
  var isRecovering = false
  var interruptions = InterruptionWatch()
  /// The port override that lasts until the next route change.
  var portOverride = PortOverride.none
  var flaps = FlapDetector()
  var arrivals = ArrivalWatch()
  var defaults = DefaultsCheck()
  /// Whether an interruption that no snapshot shows has ended since the last look.
  var hasResumed = false
  /// The server that the flap detector compared last.
  private var compared: ServerSnapshot?
  var manager = ManagerWatch()
  var returns = ReturnWatch()
  var restores = RestoreWatch()
  /// Wakes the session when the machine wakes up.
  var clock: DescriptorWatch?
  private let awakeBegan = SuspendingClock.now
  private var asleep = Duration.zero
  private var wokeAt: Duration?

  var now: Duration { ContinuousClock.now - began }

  /// When to look next: at a change; or, later than `time`, at the end of a conflict's pause, or
  /// when a flapping device counts as stable, a returned one as settled or a suspended one as an
  /// interruption, or to request again what was refused, or to check the defaults.
  func nextLook(after time: Duration) -> Duration? {
    [
      pacer.nextLook, conflicts.nextEnd(after: time), flaps.nextEnd(after: time),
      returns.nextEnd(after: time), refused.nextEnd(after: time),
      interruptions.nextEnd(after: time), defaults.nextCheck,
    ].compactMap { $0 }.min()
  }

  /// Whether a look is scheduled that is not later. An alarm does not advance while the machine is
  /// asleep, so one that is overdue does not count.
  func isScheduled(by due: Duration) -> Bool {
    scheduled.map { $0 <= due && $0 > now - .seconds(1) } ?? false
  }

  /// Reports the connected devices to the flap detector and the watch for new cards. What is found to
  /// flap during a look, after its plan was made, is looked at once more.
  mutating func noteAttachments(_ snapshot: ServerSnapshot) {
    if let compared, compared.surelyHasAttachments(of: snapshot) { return }
    compared = snapshot
    let unsteady = flaps.unsteady(at: now)
    flaps.note(snapshot.attachments, at: now)
    if flaps.unsteady(at: now) != unsteady { pacer.noteChange(at: now) }
    arrivals.note(snapshot, at: now)
  }

  /// Whether a look is due at the time for which an alarm was set.
  func isDue(_ alarm: Duration) -> Bool {
    nextLook(after: alarm - .nanoseconds(1)).map { $0 <= max(now, alarm) } ?? false
  }

  /// Compares the two clocks, of which one stops while the machine is asleep; true the first time
  /// after it woke up.
  mutating func noteSleep() -> Bool {
    let asleep = now - (SuspendingClock.now - awakeBegan)
    defer { self.asleep = asleep }
    guard asleep - self.asleep > .seconds(1) else { return false }
    wokeAt = now
    return true
  }

  /// Whether the machine was asleep within the last seconds.
  var hasSlept: Bool { wokeAt.map { now - $0 < .seconds(10) } ?? false }
}
