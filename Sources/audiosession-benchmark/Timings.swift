import PulseTypes

/// Durations of one thing done many times.
struct Timings {
  private var sorted: [Duration]

  init(_ durations: [Duration]) { sorted = durations.sorted() }

  var median: Duration { percentile(50) }

  func percentile(_ percent: Int) -> Duration {
    sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
  }

  /// The worst in words, without padding.
  var worst: String { words(100) }

  /// `p99 12.34 ms`; of fewer than a hundred that is the worst.
  var tail: String { sorted.count < 100 ? "worst \(worst)" : "p99 \(words(99))" }

  /// `12.34 ms median   15.01 ms p95`; `-` in place of a time if nothing was measured.
  var text: String { "\(Self.padded(words(50))) median  \(Self.padded(words(95))) p95" }

  private func words(_ percent: Int) -> String {
    sorted.isEmpty ? "-" : String(Self.words(percentile(percent)).drop { $0 == " " })
  }

  private static func padded(_ text: String) -> String {
    String(repeating: " ", count: max(0, 9 - text.count)) + text
  }

  /// `  12.34 ms`, or `  85 µs` below a millisecond.
  static func words(_ duration: Duration) -> String {
    let micros = duration.microseconds
    let fraction = micros / 10 % 100
    let text =
      micros < 1000
      ? "\(micros) µs" : "\(micros / 1000).\(fraction < 10 ? "0" : "")\(fraction) ms"
    return padded(text)
  }

  /// How many times as long as another.
  func ratio(to other: Timings) -> String {
    other.median > .zero ? Ratios.words(median.seconds / other.median.seconds) : "-"
  }
}
