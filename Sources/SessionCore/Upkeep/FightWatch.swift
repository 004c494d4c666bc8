/// Notices that somebody undoes a setting again and again, and gives way for a while.
///
/// Pure: time is a parameter, counted from any fixed moment.
public struct FightWatch: Sendable, Hashable {
  /// So many times within `window` make a fight.
  public static let limit = 5
  /// The time in which they count.
  public static let window = Duration.seconds(5)
  /// How long a setting is left alone the first time; twice as long each time after.
  public static let firstTruce = Duration.seconds(30)
  /// The longest time a setting is left alone.
  public static let longestTruce = Duration.seconds(3600)

  private struct Record: Sendable, Hashable {
    var times: [Duration] = []
    var truces = 0
    var truceEnds: Duration?
  }

  private var records: [Setting: Record] = [:]

  /// Begins at peace.
  public init() {}

  /// Notes that a setting was set again; true where that makes it a fight.
  public mutating func noteReassertion(of setting: Setting, at now: Duration) -> Bool {
    var record = records[setting] ?? Record()
    defer { records[setting] = record }
    record.times.removeAll { now - $0 >= Self.window }
    record.times.append(now)
    guard record.times.count >= Self.limit else { return false }
    record.times = []
    record.truceEnds =
      now + min(Self.firstTruce * (1 << min(record.truces, 10)), Self.longestTruce)
    record.truces += 1
    return true
  }

  /// The settings that are left alone now.
  public func yielded(at now: Duration) -> Set<Setting> {
    Set(records.filter { $0.value.truceEnds.map { now < $0 } == true }.keys)
  }

  /// When the next truce ends; nil at peace.
  public func nextEnd(after now: Duration) -> Duration? {
    records.values.compactMap(\.truceEnds).filter { $0 > now }.min()
  }

  /// A person or program just asked anew: all that was is forgotten.
  public mutating func forget() { records = [:] }
}
