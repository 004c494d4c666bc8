extension Duration {
  /// The whole microseconds, libpulse's unit of time (`pa_usec_t`), rounded toward zero.
  public var microseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// The seconds as a floating-point number, as the JSON of the contract has them.
  public var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
