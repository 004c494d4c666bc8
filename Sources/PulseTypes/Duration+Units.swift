extension Duration {
  /// The whole microseconds, libpulse's unit of time (`pa_usec_t`), rounded toward zero; saturates.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let limit = Int64.max / 1_000_000 - 1
    guard (-limit...limit).contains(seconds) else { return seconds < 0 ? -.max : .max }
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The seconds as a floating-point number, as in JSON.
  package var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
