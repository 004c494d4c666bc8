/// Why time will be missing before the next sound of a tap, and behind the sound that is kept back (the burst).
struct GapCause {
  /// Why time is missing before the next sound: unless another cause is expected, the server or the
  /// device lost it.
  private(set) var cause = MissingFrames.Cause.overrun
  /// Why time will be missing behind the sound in the burst; nil if no gap is expected there.
  private var next: MissingFrames.Cause?
  /// Whether a gap is expected, and no sound has come since.
  private(set) var isAhead = false
  /// Whether the device of the tap was suspended, until it runs and sound arrives from it again.
  private(set) var isSuspended = false
  private var isResuming = false

  /// Sets why time will be missing before the next sound.
  mutating func expect(_ cause: MissingFrames.Cause, hasBurst: Bool) {
    isAhead = true
    guard hasBurst else { return self.cause = cause }
    // What is in the burst may be from before the gap; or from behind it, if nothing explained its
    // own gap before.
    if self.cause == .overrun || self.cause == next { self.cause = cause }
    next = cause
  }

  /// Notes that the device of the tap was suspended.
  mutating func suspend(hasBurst: Bool) {
    (isSuspended, isResuming) = (true, false)
    expect(.suspended, hasBurst: hasBurst)
  }

  /// Notes that the device of the tap runs again.
  mutating func resume(hasBurst: Bool) {
    isResuming = true
    if hasBurst { next = next ?? cause }
  }

  /// Notes that sound arrives. Some from before a suspension may arrive after its event.
  mutating func hear() {
    if isResuming { (isSuspended, isResuming) = (false, false) }
    isAhead = false
  }

  /// Notes another tap, whose device runs.
  mutating func beginTap() { (isSuspended, isResuming) = (false, false) }

  /// Forgets what was expected behind a burst that is dropped.
  mutating func dropBurst() { next = nil }

  /// Notes that the gap before a burst was counted.
  mutating func join() {
    cause = next ?? (isSuspended ? cause : .overrun)
    next = nil
  }

  /// Forgets what was expected: time until now was counted, or does not count.
  mutating func pause() { (cause, isAhead) = (.overrun, false) }
}
