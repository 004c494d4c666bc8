/// Says how much time is missing between what was captured and what comes next, by the clock.
///
/// Inside one stretch of sound only the device's own count matters; the clock is asked where one
/// stretch ends and another begins. A clock is read late, and a little less than a fragment may be
/// nothing: what was told too much or too little is owed, and made good where the next stretch
/// begins. So errors do not add up, however often the input changes. Times are nanoseconds.
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
  /// Whether what comes next follows nothing, so that nothing is missing before it.
  private(set) var isPaused = true
  /// How much more is missing than was told; negative where too much was told.
  private(set) var owed: Int64 = 0

  /// Nothing is missing before the first sound; what is older than `start` is not wanted.
  init(from start: Int64) { end = start }

  /// What comes after this is not missing, and what is older than `start` is not wanted.
  mutating func pause(until start: Int64) {
    end = start
    isPaused = true
  }

  /// Sound comes after a discontinuity; `tolerance` is what a clock read late may make of nothing.
  ///
  /// What was made of the answer is to be told by `tell`.
  mutating func join(at start: Int64, tolerance: Int64) -> Join {
    let difference = start - end
    guard !isPaused else {
      return difference < 0 ? .overlap(nanoseconds: -difference) : .missing(nanoseconds: 0)
    }
    owed += difference
    // What is certainly a gap is told as one: at most half of it makes good what was told too much.
    if difference > tolerance { return .missing(nanoseconds: max(owed, difference / 2)) }
    if owed > tolerance { return .missing(nanoseconds: owed) }
    // Only what was captured twice is left out, never sound for the sake of the sum.
    guard owed < -tolerance, difference < 0 else { return .missing(nanoseconds: 0) }
    return .overlap(nanoseconds: min(-difference, -owed))
  }

  /// So much was told to be missing; negative: was left out as captured already. A stretch that
  /// began earlier than it was joined at counts too, and so does what a converter rounds.
  mutating func tell(_ nanoseconds: Int64) { if !isPaused { owed -= nanoseconds } }

  /// Sound was captured up to this time.
  mutating func advance(to end: Int64) {
    self.end = end
    isPaused = false
  }
}
