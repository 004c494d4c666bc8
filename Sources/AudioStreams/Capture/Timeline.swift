/// Says how much time is missing between what was captured and what comes next, by the clock.
///
/// Inside one stretch of sound only the device's own count matters; the clock is asked where one
/// stretch ends and another begins.
struct Timeline {
  /// How a new stretch of sound follows the last.
  enum Join: Equatable {
    /// It begins so much later.
    case missing(nanoseconds: Int64)
    /// So much of its beginning has been captured already.
    case overlap(nanoseconds: Int64)
  }

  /// When the last captured frame ended; nil before the first, and after a pause.
  private var end: Int64?

  /// Forgets where the last stretch ended: the time until the next one is not missing.
  mutating func pause() { end = nil }

  /// Sound comes after a discontinuity. Times in nanoseconds; `tolerance` is what a clock read late
  /// may make of nothing.
  func join(at start: Int64, tolerance: Int64) -> Join {
    guard let end else { return .missing(nanoseconds: 0) }
    let difference = start - end
    if difference.magnitude <= tolerance { return .missing(nanoseconds: 0) }
    return difference > 0 ? .missing(nanoseconds: difference) : .overlap(nanoseconds: -difference)
  }

  /// Sound was captured from one time to another.
  mutating func advance(to end: Int64) { self.end = end }
}
