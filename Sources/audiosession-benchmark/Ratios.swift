import POSIX
import PulseSandbox
import PulseTypes

/// The figures that repeat on any machine: ratios to a peer or to the floor in the same run, and
/// counts. Each is compared with the recorded one.
enum Ratios {
  /// What a figure was when it was recorded, and what it should become.
  struct Record {
    var value: Double
    var aim: Double?
  }

  private static let worse = Guarded([String]())
  private static let measured = Guarded(Set<String>())

  /// Prints a ratio, and notes whether it is worse than the recorded one by more than a fifth.
  static func note(_ name: String, _ value: Double) { note(name, value, tolerance: 1.2, unit: "") }

  /// Prints a count, and notes whether it is worse than the recorded one by more than 3 %.
  static func note(_ name: String, count: Double, unit: String) {
    note(name, count, tolerance: 1.03, unit: " \(unit)")
  }

  private static func note(_ name: String, _ value: Double, tolerance: Double, unit: String) {
    measured.withLock { _ = $0.insert(name) }
    let record = Self.recorded[name]
    var notes: [String] = []
    if let record { notes.append("recorded \(words(record.value))") }
    if let aim = record?.aim { notes.append("aim \(words(aim))") }
    if let record, value > record.value * tolerance {
      notes.append("WORSE")
      worse.withLock { $0.append(name) }
    }
    let start = Benchmark.padded(name, to: 52)
    print("  \(start)\(words(value))\(unit)  \(notes.joined(separator: ", "))")
  }

  /// Throws if a figure was worse than its recorded one, or was not measured on a server that is here.
  static func check() throws {
    let measured = measured.withLock { $0 }
    let missing = recorded.keys.filter {
      !measured.contains($0)
        && (ServerProgram.isInstalled(.pipewire) || !$0.hasPrefix("on PipeWire, "))
    }
    let faults = [
      ("worse than recorded", worse.withLock { $0 }), ("not measured", missing.sorted()),
    ].filter { !$0.1.isEmpty }
    guard faults.isEmpty else {
      throw Process.Failure(
        description: faults.map { "\($0): \($1.joined(separator: "; "))" }.joined(separator: "\n"))
    }
  }

  static func words(_ value: Double) -> String {
    let hundredths = Int(exactly: (value * 100).rounded()) ?? 0
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
