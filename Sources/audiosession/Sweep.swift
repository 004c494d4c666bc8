/// One frequency, or a range of frequencies.
struct Sweep {
  var from: Double
  var to: Double

  /// Reads `1000` or `20-20000`.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
    guard let first = parts.first, let last = parts.last, let first, let last, parts.count <= 2,
      (1...100_000).contains(first), (1...100_000).contains(last)
    else { return nil }
    (from, to) = (first, last)
  }
}
