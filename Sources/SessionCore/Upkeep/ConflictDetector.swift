/// Notices that another program changes a setting repeatedly, and leaves it alone for a while.
///
/// Pure: time is a parameter, counted from any fixed moment.
package struct ConflictDetector: Sendable, Hashable {
  /// This many foreign changes within `window` are a conflict.
  package static let limit = 5
  /// The time in which they count.
  package static let window = Duration.seconds(5)
  /// How long a setting is left alone the first time; twice as long each time after.
  package static let firstPause = Duration.seconds(30)
  /// The longest time a setting is left alone.
  package static let longestPause = Duration.seconds(3600)

  private struct Record: Sendable, Hashable {
    var times: [Duration] = []
    var pauses = 0
    var pauseEnds: Duration?
  }

  private var records: [Setting: Record] = [:]

  /// Begins without conflicts.
  package init() {}

  /// Notes that another program changed a setting; true if that makes it a conflict.
  package mutating func noteChange(of setting: Setting, at now: Duration) -> Bool {
    var record = records[setting] ?? Record()
    defer { records[setting] = record }
    record.times.removeAll { now - $0 >= Self.window }
    record.times.append(now)
    guard record.times.count >= Self.limit else { return false }
    record.times = []
    record.pauseEnds =
      now + min(Self.firstPause * (1 << min(record.pauses, 10)), Self.longestPause)
    record.pauses += 1
    return true
  }

  /// Notes how often another program changed each setting; returns those that are in a conflict now.
  package mutating func noteChanges(_ changes: [Setting: Int], at now: Duration) -> [Setting] {
    changes.keys.sorted { ($0.phase, $0.object) < ($1.phase, $1.object) }.filter { setting in
      var isConflict = false
      for _ in 0..<changes[setting, default: 0] where noteChange(of: setting, at: now) {
        isConflict = true
      }
      return isConflict
    }
  }

  /// The settings that are left alone now.
  package func yielded(at now: Duration) -> Set<Setting> {
    Set(records.filter { $0.value.pauseEnds.map { now < $0 } == true }.keys)
  }

  /// When the next pause ends; nil without one.
  package func nextEnd(after now: Duration) -> Duration? {
    records.values.compactMap(\.pauseEnds).filter { $0 > now }.min()
  }

  /// Forgets every conflict, after a user or program has applied a mode.
  package mutating func forget() { records = [:] }
}
