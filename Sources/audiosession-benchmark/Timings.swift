import PulseTypes

/// Durations of one thing done many times.
struct Timings {
  private var sorted: [Duration]

  init(_ durations: [Duration]) { sorted = durations.sorted() }

  var median: Duration { percentile(50) }

  func percentile(_ percent: Int) -> Duration {
    sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
  }

  /// `12.3 ms median, 15.0 ms p95`.
  var text: String {
    "\(Self.milliseconds(median)) median  \(Self.milliseconds(percentile(95))) p95"
  }

  static func milliseconds(_ duration: Duration) -> String {
    let hundredths = duration.microseconds / 10
    let whole = String(hundredths / 100)
    let fraction = hundredths % 100
    let padding = String(repeating: " ", count: max(0, 4 - whole.count))
    return padding + whole + (fraction < 10 ? ".0\(fraction)" : ".\(fraction)") + " ms"
  }

  /// How many times as long as another.
  func ratio(to other: Timings) -> String {
    guard other.median > .zero else { return "-" }
    let hundredths = Int(median.seconds / other.median.seconds * 100)
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
