import POSIX
import PulseSandbox
import PulseTypes

/// The figures that are compared with a recorded one and have an aim: ratios to a peer in the same run,
/// counts, and times.
enum Ratios {
  /// What a figure was when it was recorded (nil: not yet), and what it should become.
  struct Record {
    var value: Double?
    var aim: Double?
    /// Whether it can be recorded: false if it differs too much from run to run.
    var isRecorded = true

    /// The record as it is written in `Ratios+Recorded.swift`, with the value of this run.
    func line(_ name: String, measured: Double) -> String {
      let words: [String?] = [
        isRecorded ? "value: \(Ratios.words(measured))" : nil,
        aim.map { aim in "aim: \(Int(exactly: aim).map { "\($0)" } ?? "\(aim)")" },
        isRecorded ? nil : "isRecorded: false",
      ]
      return "    \"\(name)\": Record(\(words.compactMap { $0 }.joined(separator: ", "))),"
    }
  }

  private static let worse = Guarded([String]())
  /// In the order of the run.
  private static let measured = Guarded([(name: String, value: Double)]())

  /// Prints a figure, and notes whether it is worse than the recorded one: a ratio (without a unit) by a
  /// fifth, a count by 3 %. A time depends on the machine, so it is only printed.
  ///
  /// - Parameters:
  ///   - peer: the figure of another program that does the same.
  ///   - floor: the figure of bare libpulse, which does no more than the work needs.
  static func note(
    _ name: String, _ value: Double, _ unit: String = "", peer: Double? = nil, floor: Double? = nil
  ) {
    measured.withLock { $0.append((name: name, value: value)) }
    let record = Self.recorded[name]
    let others: [(word: String, value: Double?)] = [
      ("recorded", record?.value), ("aim", record?.aim), ("peer", peer), ("floor", floor),
    ]
    var notes = others.compactMap { other in other.value.map { "\(other.word) \(words($0))" } }
    if let floor, let aim = record?.aim, aim < floor { notes.append("aim below the floor") }
    let tolerance = unit.isEmpty ? 1.2 : 1.03
    if let record, record.isRecorded, record.value == nil { notes.append("not recorded yet") }
    if let recorded = record?.value, unit != "ms", value > recorded * tolerance {
      notes.append("WORSE")
      worse.withLock { $0.append(name) }
    }
    let start = Benchmark.padded(name, to: 56)
    print("  \(start)\(words(value)) \(unit)  \(notes.joined(separator: ", "))")
  }

  /// Prints this run's figures as the lines of `Ratios+Recorded.swift`.
  static func printRecords() {
    for (name, value) in measured.withLock({ $0 }) {
      if let record = recorded[name] { print(record.line(name, measured: value)) }
    }
    worse.withLock { $0 = [] }
  }

  /// Throws if a figure was worse than its recorded one, or was not measured on a server that is here.
  static func check() throws {
    let names = measured.withLock { $0.map { $0.name } }
    let missing = recorded.keys.filter {
      !names.contains($0)
        && (ServerProgram.isInstalled(.pipewire) || !$0.hasPrefix("on PipeWire, "))
    }
    let faults = [
      ("worse than recorded", worse.withLock { $0 }),
      ("not measured (valgrind and python3-pulsectl are needed)", missing.sorted()),
    ].filter { !$0.1.isEmpty }
    guard faults.isEmpty else {
      throw Process.Failure(
        description: faults.map { "\($0): \($1.joined(separator: "; "))" }.joined(separator: "\n"))
    }
  }

  static func words(_ value: Double) -> String {
    let hundredths = Int(exactly: (value * 100).rounded()) ?? 0
    let rest = hundredths.magnitude % 100
    return (hundredths < 0 ? "-" : "")
      + "\(hundredths.magnitude / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
