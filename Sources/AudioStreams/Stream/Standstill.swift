internal import PulseTypes

/// Detects that something does not advance: looks at its position at an interval.
///
/// Looks are counted, not time: a stopped process or a sleeping machine is no fault of an output.
package struct Standstill {
  /// The pause between looks.
  package let interval: Duration
  private let most: Int
  private var position: UInt64?
  private var looks = 0

  /// - Parameter limit: for how long the position may stay the same.
  package init(after limit: Duration = .seconds(5), every interval: Duration = .milliseconds(5)) {
    self.interval = interval
    most = Int(saturating: limit / interval)
  }

  /// Notes the position, nil while it may stay the same; whether it has been the same for too long.
  package mutating func isLasting(_ now: UInt64?) -> Bool {
    (position, looks) = now != nil && now == position ? (now, looks + 1) : (now, 0)
    return looks >= most
  }
}
