/// Says how much time is missing between what was captured and what comes next, by the clock.
///
/// Inside one stretch of sound only the device's own count matters; the clock is asked where one
/// stretch ends and another begins. Times are nanoseconds.
struct Timeline {
  /// How a new stretch of sound follows the last.
  enum Join: Equatable {
    /// It begins so much later.
    case missing(nanoseconds: Int64)
    /// So much of its beginning has been captured already.
    case overlap(nanoseconds: Int64)
  }

  /// When the last captured frame ended; after a pause, when the next may begin.
  private var end: Int64
  private var isPaused = true

  /// Nothing is missing before the first sound; what is older than `start` is not wanted.
  init(from start: Int64) { end = start }

  /// What comes after this is not missing, and what is older than `start` is not wanted.
  mutating func pause(until start: Int64) {
    end = start
    isPaused = true
  }

  /// Sound comes after a discontinuity; `tolerance` is what a clock read late may make of nothing.
  func join(at start: Int64, tolerance: Int64) -> Join {
    let difference = start - end
    if difference > 0, isPaused { return .missing(nanoseconds: 0) }
    if difference.magnitude <= tolerance { return .missing(nanoseconds: 0) }
    return difference > 0 ? .missing(nanoseconds: difference) : .overlap(nanoseconds: -difference)
  }

  /// Sound was captured up to this time.
  mutating func advance(to end: Int64) {
    self.end = end
    isPaused = false
  }
}
