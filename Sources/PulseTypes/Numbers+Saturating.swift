// Numbers from a server, a file or a sample may be anything, and Swift's conversions and sums end the
// program where the result does not fit. These end at the greatest or least value instead.

extension FixedWidthInteger {
  /// The nearest whole number; the greatest or least where it does not fit, 0 for what is no number.
  package init(saturating number: Double) {
    let whole = number.rounded()
    self = Self(exactly: whole) ?? (whole.isNaN ? 0 : whole < 0 ? .min : .max)
  }

  /// The sum, or the greatest or least number.
  package func addingSaturating(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Duration {
  /// So many seconds, a hundred years at most in either direction; zero for what is no number.
  package init(saturatingSeconds seconds: Double) {
    let limit = 3.2e9
    self = seconds.isNaN ? .zero : .seconds(max(-limit, min(limit, seconds)))
  }
}
