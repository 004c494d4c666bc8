import PulseTypes

/// Values in the words that people read.
enum Words {
  /// `10 ms`, `5.8 ms`.
  static func milliseconds(_ duration: Duration) -> String {
    let micros = duration.microseconds.magnitude
    let tenths = micros / 100 + (micros % 100 >= 50 ? 1 : 0)
    let sign = duration < .zero ? "-" : ""
    let fraction = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
    return "\(sign)\(tenths / 10)\(fraction) ms"
  }

  /// `80 %`, or a value a channel where they differ.
  static func volume(_ volumes: ChannelVolumes) -> String {
    guard let first = volumes.values.first else { return "none" }
    if volumes.isUniformly(first) { return first.description }
    return volumes.values.map(\.description).joined(separator: " / ")
  }

  /// `a, b and c`.
  static func list(_ words: [String], last: String = "and") -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(last) " + end
  }
}
