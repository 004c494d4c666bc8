/// Notices devices that are unplugged and plugged in repeatedly (they *flap*), so that a better-ranked
/// device is used only when it is steady.
///
/// Pure: time is a parameter, counted from any fixed moment. A device that returns for the first time is
/// used at once; one that was removed twice within `window` is used after `grace`.
package struct FlapDetector: Sendable, Hashable {
  /// This many removals within `window` make it unsteady.
  package static let limit = 2
  /// The time in which they count.
  package static let window = Duration.seconds(10)
  /// How long something unsteady must be present to count as steady.
  package static let grace = Duration.seconds(3)

  private struct Record: Sendable, Hashable {
    var departures: [Duration] = []
    var steadyFrom: Duration?
  }

  private var present: Set<Attachment> = []
  private var records: [Attachment: Record] = [:]

  /// Begins without history: everything present at first is steady.
  package init() {}

  /// Compares what is present now with the last call.
  package mutating func note(_ now: Set<Attachment>, at time: Duration) {
    for spot in present.subtracting(now) {
      var record = records[spot] ?? Record()
      record.departures.removeAll { time - $0 >= Self.window }
      record.departures.append(time)
      record.steadyFrom = nil
      records[spot] = record
    }
    for spot in now.subtracting(present) {
      guard let departures = records[spot]?.departures,
        departures.count(where: { time - $0 < Self.window }) >= Self.limit
      else { continue }
      records[spot]?.steadyFrom = time + Self.grace
    }
    present = now
    records = records.filter { spot, record in
      record.departures.contains { time - $0 < Self.window }
        || record.steadyFrom.map { time < $0 } == true
    }
  }

  /// What is present but still unsteady.
  package func unsteady(at time: Duration) -> Set<Attachment> {
    Set(records.filter { $0.value.steadyFrom.map { time < $0 } == true }.keys)
  }

  /// When the next of them becomes steady; nil if there is none.
  package func nextEnd(after time: Duration) -> Duration? {
    records.values.compactMap(\.steadyFrom).filter { $0 > time }.min()
  }

  /// Forgets everything, after a user or program has applied a mode.
  package mutating func forget() { records = [:] }
}
