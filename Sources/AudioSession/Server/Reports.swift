import Pulse
import PulseTypes

/// What a server has reported to a connection: how often each object was made or changed, and when
/// last. A report has neither the values nor who changed them.
struct Reports: Sendable {
  private let began: SuspendingClock.Instant
  private var objects: [ObjectID: (count: Int, last: SuspendingClock.Instant)] = [:]

  init(from began: SuspendingClock.Instant = .now) { self.began = began }

  /// Adds a report; the removal of an object ends its count, because the server may use its index again.
  mutating func note(_ event: PulseEvent, at time: SuspendingClock.Instant = .now) {
    let object = event.object
    if event.kind == .remove {
      objects[object] = nil
    } else {
      objects[object] = (count: count(of: object) + 1, last: time)
    }
  }

  /// How often the server has reported an object.
  func count(of object: ObjectID) -> Int { objects[object]?.count ?? 0 }

  /// Whether there was no report of some objects since a moment; false if that was before the
  /// connection.
  func haveNone(of objects: Set<ObjectID>, since moment: SuspendingClock.Instant) -> Bool {
    began <= moment
      && objects.allSatisfy { object in
        self.objects[object].map { $0.last < moment } ?? true
      }
  }
}
