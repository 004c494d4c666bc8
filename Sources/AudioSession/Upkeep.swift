import Pulse
import PulseTypes
import SessionCore

/// What a session knows while it maintains its mode, and when it looks at its server next.
struct Upkeep {
  var rules = UpkeepRules()
  let began: ContinuousClock.Instant
  /// When the alarms for looks go off: each look has only one.
  var alarms: [Duration] = []
  /// Whether a look waits for its turn; it covers all that happens until then.
  var isLookWaiting = false
  var looks = 0
  var resets = 0
  var reapplies = 0
  /// The default devices that were restored since the last state was published.
  var restoredDefaults: Set<String> = []
  var isRecovering = false
  /// Whether the stored mode is that of the process that had taken this session over.
  var isStoredOfOther = false
  /// The server that was there last: a holder waits for that one, whatever other addresses there are.
  var lastServer: SessionStore.Server?
  /// The port override that lasts until the next route change.
  var portOverride = PortOverride.none
  /// Wakes the session when the machine wakes up.
  var clock: DescriptorWatch?
  private let awakeBegan: SuspendingClock.Instant
  /// How long the machine has been asleep, at most: this process may be stopped between two clocks.
  private var asleep: Duration
  private var wokeAt: Duration?

  init() {
    began = .now
    awakeBegan = .now
    asleep = .now - began
  }

  var now: Duration { ContinuousClock.now - began }

  /// Whether a look is scheduled that is not later. An alarm does not advance while the machine is
  /// asleep, so one that is overdue does not count.
  func isScheduled(by due: Duration) -> Bool {
    isLookWaiting || alarms.contains { $0 <= due && $0 > now - .seconds(1) }
  }

  /// Compares the two clocks, of which one stops while the machine is asleep; true the first time
  /// after it woke up.
  mutating func noteSleep() -> Bool {
    let earliest = now
    let awake = SuspendingClock.now - awakeBegan
    defer { asleep = now - awake }
    guard earliest - awake - asleep > .seconds(1) else { return false }
    wokeAt = now
    return true
  }

  /// Whether the machine was asleep within the last seconds.
  var hasSlept: Bool { wokeAt.map { now - $0 < .seconds(10) } ?? false }

  /// A look has failed: the next one comes after a pause.
  mutating func failLook() { rules.failLook(at: now) }

  mutating func noteChange() { rules.pacer.noteChange(at: now) }

  @discardableResult
  mutating func noteAttachments(_ snapshot: ServerSnapshot) -> Set<Attachment> {
    rules.noteAttachments(snapshot, at: now)
  }
}
