// Numbers from a server, a file or a sample can be anything, and Swift's conversions and sums trap
// on overflow. These saturate at the greatest or least value instead.

extension FixedWidthInteger {
  /// The nearest whole number; saturates, and is 0 for NaN.
  package init(saturating number: Double) {
    let whole = number.rounded()
    self = Self(exactly: whole) ?? (whole.isNaN ? 0 : whole < 0 ? .min : .max)
  }

  /// The sum; saturates.
  package func addingSaturating(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Duration {
  /// A number of seconds to the nanosecond, at most a hundred years in either direction; zero for NaN.
  package init(saturatingSeconds seconds: Double) {
    let limit = 3.2e9
    self = .nanoseconds(
      seconds.isNaN ? 0 : Int64(saturating: max(-limit, min(limit, seconds)) * 1e9))
  }
}
