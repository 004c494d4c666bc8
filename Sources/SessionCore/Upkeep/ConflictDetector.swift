package import PulseTypes

/// Notices that another program changes a setting repeatedly, and leaves it alone for a while.
///
/// Pure: time is a parameter, counted from any fixed moment.
package struct ConflictDetector: Sendable, Hashable {
  /// This many foreign changes, none later than `gap` after the one before, are a conflict. So are
  /// those of a program that looks every few seconds, and those on a machine so busy that each takes
  /// its time.
  package static let limit = 5
  /// After this time without one they are counted from the beginning. Longer than the pauses of
  /// `RefusalBackoff`, after which a request that another program undid at once is made again.
  package static let gap = Duration.seconds(20)
  /// How long a setting is left alone the first time; twice as long each time after.
  package static let firstPause = Duration.seconds(30)
  /// The longest time a setting is left alone.
  package static let longestPause = Duration.seconds(3600)

  private struct Change: Sendable, Hashable {
    var time: Duration
    /// The programs that were connected.
    var programs: [String]
  }

  private struct Record: Sendable, Hashable {
    var changes: [Change] = []
    var pauses = 0
    var pauseEnds: Duration?
  }

  private var records: [Setting: Record] = [:]

  /// Notes that another program changed a setting, while `programs` were connected. If that makes it
  /// a conflict, returns the programs that may be the cause: those that were connected at most of
  /// its changes first, and of those the first in the last list.
  package mutating func noteChange(
    of setting: Setting, at now: Duration, beside programs: [String] = []
  ) -> [String]? {
    var record = records[setting] ?? Record()
    defer { records[setting] = record }
    if let last = record.changes.last, now - last.time > Self.gap { record.changes = [] }
    record.changes.append(Change(time: now, programs: programs))
    guard record.changes.count >= Self.limit else { return nil }
    let counts = record.changes.reduce(into: [String: Int]()) { counts, change in
      for program in Set(change.programs) { counts[program, default: 0] += 1 }
    }
    record.changes = []
    record.pauseEnds =
      now + min(Self.firstPause * (1 << min(record.pauses, 10)), Self.longestPause)
    record.pauses += 1
    let last = programs.enumerated().reduce(into: [String: Int]()) {
      $0[$1.element] = $0[$1.element] ?? $1.offset
    }
    return counts.map { (-$0.value, last[$0.key] ?? .max, $0.key) }.sorted(by: <).map(\.2)
  }

  /// Notes how often another program changed each setting; returns those that are in a conflict
  /// now, with the programs that may be the cause.
  package mutating func noteChanges(
    _ changes: [Setting: Int], at now: Duration, beside programs: [String] = []
  ) -> [(setting: Setting, programs: [String])] {
    changes.sorted {
      ($0.key.phase, $0.key.object) < ($1.key.phase, $1.key.object)
    }.compactMap { setting, count in
      var suspects: [String]?
      for _ in 0..<count {
        suspects = noteChange(of: setting, at: now, beside: programs) ?? suspects
      }
      return suspects.map { (setting, $0) }
    }
  }

  /// Forgets the settings of streams that have ended.
  package mutating func forgetStreams(besides snapshot: ServerSnapshot) {
    records = records.filter { !$0.key.isOfStream || snapshot.value(of: $0.key) != nil }
  }

  /// When the pause of a setting ends; nil if it never had a conflict.
  package func pauseEnd(of setting: Setting) -> Duration? { records[setting]?.pauseEnds }

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
