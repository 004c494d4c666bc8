import PulseTypes

/// Durations of one thing done many times.
struct Timings {
  private var sorted: [Duration]

  init(_ durations: [Duration]) { sorted = durations.sorted() }

  var median: Duration { percentile(50) }

  func percentile(_ percent: Int) -> Duration {
    sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
  }

  /// A percentile in words, without padding.
  func worst(_ percent: Int) -> String {
    String(Self.words(percentile(percent)).drop { $0 == " " })
  }

  /// `12.34 ms median   15.01 ms p95`.
  var text: String {
    "\(Self.words(median)) median  \(Self.words(percentile(95))) p95"
  }

  /// `  12.34 ms`, or `  85 µs` below a millisecond.
  static func words(_ duration: Duration) -> String {
    let micros = duration.microseconds
    let fraction = micros / 10 % 100
    let text =
      micros < 1000
      ? "\(micros) µs" : "\(micros / 1000).\(fraction < 10 ? "0" : "")\(fraction) ms"
    return String(repeating: " ", count: max(0, 9 - text.count)) + text
  }

  /// How many times as long as another.
  func ratio(to other: Timings) -> String {
    other.median > .zero ? Ratios.words(median.seconds / other.median.seconds) : "-"
  }
}
