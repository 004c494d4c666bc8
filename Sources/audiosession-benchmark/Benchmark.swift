import Glibc

/// Prints the cost of an apply and a state, next to the same work of `pactl` in the same run.
@main
struct Benchmark {
  static let repetitions = 60

  static func main() async {
    // A measured program that has ended must not end this one, which writes to it.
    signal(SIGPIPE, SIG_IGN)
    do {
      try await run()
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  private static func run() async throws {
    let words = CommandLine.arguments.dropFirst()
    guard let word = words.first else { return try await figures() }
    let numbers = words.dropFirst().map { Int($0) ?? 0 }
    guard numbers.count <= 2, numbers.allSatisfy({ $0 > 0 }) else { usage() }
    let count = numbers.first
    let second = numbers.dropFirst().first
    switch word {
    case "compare", "record":
      try await compare(count ?? repetitions)
      if word == "record" { Ratios.printRecords() }
      try Ratios.check()
    case "programs": try await Programs.run(count ?? repetitions)
    case "heal": try await Heal.run(count ?? 1000)
    case "storm": try await Storm.run(count ?? 10_000)
    case "restarts": try await Restarts.run(count ?? 200)
    case "capture": try await CaptureFigures.run()
    case "synthesizer": try await SynthFigures.run()
    case "underruns": try await SynthFigures.underruns(seconds: count ?? 600, milliseconds: second)
    case "servers": try await Servers.run(count ?? 100)
    case "scale": try await Scale.run([10, 100, 1000].filter { $0 <= count ?? 1000 })
    case "idle": try await Idle.run(count ?? 60)
    case "soak": try await Soak.run(count ?? 3600)
    case "churn":
      try await Churn.run(
        count ?? 100_000, seed: second.map { UInt64($0) } ?? UInt64.random(in: 1...999_999))
    default: usage()
    }
  }

  private static func usage() -> Never {
    print(
      "usage: audiosession-benchmark "
        + "[compare N | record N | programs N | heal N | restarts N | servers N | storm N | idle SECONDS | "
        + "soak SECONDS | churn N SEED | scale LARGEST | "
        + "capture | synthesizer | underruns SECONDS MILLISECONDS]")
    exit(64)
  }

  private static func figures() async throws {
    try await Programs.run(repetitions)
    try await Servers.run(repetitions)
    try await CaptureFigures.run()
    try await SynthFigures.run()
  }

  /// All figures with an aim.
  private static func compare(_ count: Int) async throws {
    try await Programs.run(count)
    try await Heal.run(count * Heal.Change.allCases.count)
    try await Servers.run(count)
    try await Scale.run([10, 1000], isBrief: true)
  }

  static func row(_ name: String, _ timings: Timings, _ note: String, width: Int = 28) {
    print("  \(padded(name, to: width))\(timings.text)  \(note)")
  }

  /// A name with spaces up to the column of its figures.
  static func padded(_ name: String, to width: Int) -> String {
    name + String(repeating: " ", count: max(1, width - name.count))
  }
}
