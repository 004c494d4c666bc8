public import PulseTypes
import SessionCore

/// Decides when `watch --auto` takes another profile: once a change of devices has settled, and what
/// comes and goes only once it has stayed.
///
/// Pure: time is a parameter, counted from any fixed moment. A profile that somebody applies by hand
/// stands until the devices call for another one than they did.
public struct ProfileSwitch: Sendable {
  /// The profile that the devices called for last; nil before, and where there was none.
  public private(set) var chosen: String?
  private var snapshot: ServerSnapshot?
  private var flaps = FlapDetector()
  private var settled: Duration?
  private var burstBegan: Duration?
  private var stayed: Duration?

  /// Begins with nothing known.
  public init() {}

  /// When to ask next; nil where nothing changed.
  public var nextLook: Duration? { [settled, stayed].compactMap { $0 }.min() }

  /// Devices came or went: what is there now.
  public mutating func note(_ snapshot: ServerSnapshot, at now: Duration) {
    self.snapshot = snapshot
    flaps.note(snapshot.spots, at: now)
    let began = burstBegan ?? now
    burstBegan = began
    settled = min(now + Pacer.quiet, began + Pacer.longestBurst)
  }

  /// What the devices call for now, where that is another profile than before; nil where it is not.
  public mutating func decide(_ profiles: [Profile], at now: Duration) -> ProfileDetection? {
    guard let snapshot else { return nil }
    (settled, burstBegan) = (nil, nil)
    stayed = flaps.nextEnd(after: now)
    let detection = ProfileDetection(profiles, in: snapshot, except: flaps.unsteady(at: now))
    // With nothing that fits, what stands is as good as anything.
    guard let name = detection.chosen, name != chosen else { return nil }
    chosen = name
    return detection
  }

  /// The profiles may be others now: the next decision counts whatever it is.
  public mutating func forget(at now: Duration) {
    chosen = nil
    settled = now
  }
}
