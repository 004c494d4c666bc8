extension Duration {
  /// The greatest number of microseconds; beyond it arithmetic with durations can overflow.
  package static let greatest = Duration.microseconds(Int64.max)

  /// The whole microseconds, libpulse's unit of time (`pa_usec_t`), rounded toward zero; saturates.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = saturated.components
    let limit = Int64.max / 1_000_000 - 1
    guard (-limit...limit).contains(seconds) else { return seconds < 0 ? -.max : .max }
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The seconds as a floating-point number, as in JSON; saturates at 292,000 years.
  package var seconds: Double {
    let (seconds, attoseconds) = saturated.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// The nearest duration whose components can be read: `components` traps beyond them.
  private var saturated: Duration { max(.zero - .greatest, min(.greatest, self)) }
}
