/// Computes, from the clock, how much time is missing between the captured sound and the next.
///
/// Within one stretch of sound only the device's own frame count matters; the clock is read where
/// one stretch ends and the next begins. A clock is always read late, and a difference below one
/// fragment may be no gap at all. An error in the reported time is kept as `owed` and corrected at
/// the next join, so errors do not add up, however often the input changes. Times are nanoseconds.
struct Timeline {
  /// How a new stretch of sound follows the last.
  enum Join: Equatable {
    /// It begins this much later.
    case missing(nanoseconds: Int64)
    /// This much of its beginning has been captured already.
    case overlap(nanoseconds: Int64)
  }

  /// When the last captured frame ended; after a pause, when the next may begin.
  private var end: Int64
  /// Whether the next sound follows a pause, so that nothing is missing before it.
  private(set) var isPaused = true
  /// Since when sound is due after the pause: a tap is open; nil before.
  private var due: Int64?
  /// How much more time is missing than was reported; negative if too much was reported.
  private(set) var owed: Int64 = 0

  /// How long a device may take to start after a pause.
  static let longestStart: Int64 = 500_000_000

  /// Nothing is missing before the first sound; sound older than `start` is dropped.
  init(from start: Int64) { end = start }

  /// Pauses: no time counts as missing before the next sound, unless a tap is open and delivers
  /// nothing; sound older than `start` is dropped.
  mutating func pause(until start: Int64) {
    (end, isPaused, due) = (start, true, nil)
  }

  /// A tap is open: after a pause, sound is due from now on.
  mutating func expectSound(at time: Int64) { if isPaused { due = due ?? time } }

  /// Sound that is due begins at this time, or has not come until then. If that is later than any
  /// device starts, the time since it was due is missing.
  mutating func endStart(at time: Int64) {
    if let due, time - due > Self.longestStart { advance(to: due) }
  }

  /// Sound arrives after a discontinuity. `tolerance` is the error that a late clock reading can
  /// cause.
  ///
  /// Pass what was done with the answer to `tell`.
  mutating func join(at start: Int64, tolerance: Int64) -> Join {
    let difference = start - end
    guard !isPaused else {
      return difference < 0 ? .overlap(nanoseconds: -difference) : .missing(nanoseconds: 0)
    }
    owed += difference
    // A certain gap is reported as a gap: at most half of it corrects an earlier excess.
    if difference > tolerance { return .missing(nanoseconds: max(owed, difference / 2)) }
    if owed > tolerance { return .missing(nanoseconds: owed) }
    // Drops only what was captured twice, never other sound for the sake of the sum.
    guard owed < -tolerance, difference < 0 else { return .missing(nanoseconds: 0) }
    return .overlap(nanoseconds: min(-difference, -owed))
  }

  /// Records the time that was reported as missing; negative: dropped as captured already. A
  /// stretch that began before its join counts too, as does the converter's rounding.
  mutating func tell(_ nanoseconds: Int64) { if !isPaused { owed -= nanoseconds } }

  /// Sound was captured up to this time.
  mutating func advance(to end: Int64) {
    (self.end, isPaused, due) = (end, false, nil)
  }
}
