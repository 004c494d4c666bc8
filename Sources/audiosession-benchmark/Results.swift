import POSIX
import PulseTypes

/// All that a run has measured, for `--json FILE`.
enum Results {
  private struct Entry {
    var name: String
    var values: [(key: String, value: Double)]
    var note: String
  }

  private static let entries = Guarded([Entry]())

  /// Notes durations, in seconds.
  static func note(_ name: String, _ timings: Timings, _ note: String) {
    self.note(
      name,
      [
        ("medianSeconds", timings.median.seconds), ("p95Seconds", timings.percentile(95).seconds),
        ("p99Seconds", timings.percentile(99).seconds),
      ], note)
  }

  /// Notes any numbers.
  static func note(_ name: String, _ values: [(key: String, value: Double)], _ note: String = "") {
    entries.withLock { $0.append(Entry(name: name, values: values, note: note)) }
  }

  /// Writes the noted results.
  static func write(to path: String) throws {
    let lines = entries.withLock { entries in
      entries.map { entry in
        let values = entry.values.map { "\(quoted($0.key)): \($0.value)" }.joined(separator: ", ")
        return "    { \"name\": \(quoted(entry.name)), \(values), \"note\": \(quoted(entry.note)) }"
      }
    }
    try Process.write(
      "{\n  \"schema\": 1,\n  \"results\": [\n\(lines.joined(separator: ",\n"))\n  ]\n}\n",
      to: path)
  }

  /// Names here have no control characters.
  private static func quoted(_ text: String) -> String {
    "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
  }
}
