package import PulseTypes
import SessionCore

/// Decides when `watch --auto` switches to another profile: when a change of devices has settled,
/// and, for devices that flap, only once they have been stable.
///
/// Pure: time is a parameter, counted from any fixed moment. A profile that a user applies by hand
/// stays until the devices call for another profile than before.
package struct ProfileSwitch: Sendable {
  /// The profile that the devices called for last; nil if there was none.
  package private(set) var chosen: String?
  private var snapshot: ServerSnapshot?
  private var flaps = FlapDetector()
  private var settled: Duration?
  private var burstBegan: Duration?
  private var stayed: Duration?

  /// Starts without knowledge of the devices.
  package init() {}

  /// When to decide next; nil if nothing has changed.
  package var nextLook: Duration? { [settled, stayed].compactMap { $0 }.min() }

  /// Notes the current devices after a change.
  package mutating func note(_ snapshot: ServerSnapshot, at now: Duration) {
    self.snapshot = snapshot
    flaps.note(snapshot.attachments, at: now)
    let began = burstBegan ?? now
    burstBegan = began
    settled = min(now + Pacer.quiet, began + Pacer.longestBurst)
  }

  /// The profile that the devices call for now, if it differs from the last one; otherwise nil.
  package mutating func decide(_ profiles: [Profile], at now: Duration) -> ProfileDetection? {
    guard let snapshot else { return nil }
    (settled, burstBegan) = (nil, nil)
    stayed = flaps.nextEnd(after: now)
    let detection = ProfileDetection(profiles, in: snapshot, except: flaps.unsteady(at: now))
    // If no profile matches, the current one stays.
    guard let name = detection.chosen, name != chosen else { return nil }
    chosen = name
    return detection
  }

  /// Makes the next decision count, even if it is the same: the profiles may have changed, or the
  /// switch failed. It is due at the given time, or earlier if devices have changed.
  package mutating func forget(at due: Duration) {
    chosen = nil
    settled = min(due, settled ?? due)
  }

  /// The profiles could not be read: decides later.
  package mutating func postpone(until due: Duration) {
    (settled, burstBegan, stayed) = (due, nil, nil)
  }

  /// Takes back `forget`, unless a decision was made since.
  package mutating func remember(_ profile: String?) { chosen = chosen ?? profile }
}
