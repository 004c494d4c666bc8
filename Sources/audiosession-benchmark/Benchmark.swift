import AudioSession
import Glibc
import PulseSandbox
import PulseTypes
import SessionProfiles

/// Prints the cost of an apply and a state, next to the same work of `pactl` in the same run.
@main
struct Benchmark {
  static let repetitions = 60

  static func main() async {
    do {
      try await run()
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  private static func run() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let count = words.dropFirst().first.flatMap { Int($0) }
    switch words.first {
    case nil: try await figures()
    case "compare":
      try await Programs.run(count ?? repetitions)
      try await Heal.run((count ?? repetitions) * Heal.Change.allCases.count)
      try Ratios.check()
    case "programs": try await Programs.run(count ?? repetitions)
    case "heal": try await Heal.run(count ?? 1000)
    case "storm": try await Storm.run(count ?? 10_000)
    case "restarts": try await Restarts.run(count ?? 200)
    case "capture": try await CaptureFigures.run()
    case "synthesizer": try await SynthFigures.run()
    case "underruns":
      try await SynthFigures.underruns(
        seconds: count ?? 600, milliseconds: words.dropFirst(2).first.flatMap { Int($0) })
    case "servers": try await Servers.run(count ?? 100)
    case "scale": try await Scale.run(count ?? 1000)
    case "idle": try await Idle.run(count ?? 60)
    case "churn":
      let seed = words.dropFirst(2).first.flatMap { UInt64($0) }
      try await Churn.run(count ?? 100_000, seed: seed ?? UInt64.random(in: 1...999_999))
    default:
      print(
        "audiosession-benchmark "
          + "[compare N | programs N | heal N | restarts N | servers N | storm N | idle SECONDS | churn N SEED | "
          + "scale LARGEST | capture | synthesizer | underruns SECONDS MILLISECONDS]")
    }
  }

  private static func figures() async throws {
    try await Programs.run(repetitions)
    try await PulseSandbox.with(.toneless()) { sandbox in
      if let notice = sandbox.notice { print("note: \(notice)") }
      try await inProcess(sandbox)
    }
    try await CaptureFigures.run()
    try await SynthFigures.run()
  }

  private static func inProcess(_ sandbox: PulseSandbox) async throws {
    let session = AudioSession(in: sandbox)
    let mode = try Profile.named("podcast").mode
    var (apply, state, plan) = ([Duration](), [Duration](), [Duration]())
    var trips = 0
    let clock = ContinuousClock()
    for _ in 0..<repetitions {
      try await session.setActive(false)
      let before = await session.roundTrips
      apply.append(try await clock.measure { try await session.setAudioMode(mode) })
      trips = await session.roundTrips - before
      state.append(try await clock.measure { _ = try await session.getSessionState() })
      plan.append(try await clock.measure { _ = try await session.plan(for: mode) })
    }
    await session.close()
    print("in one process, \(repetitions) times each")
    row("setAudioMode(podcast)", Timings(apply), "\(trips) round trips")
    row("getSessionState()", Timings(state), "1 round trip")
    row("plan(for:)", Timings(plan), "no round trip")
  }

  static func row(_ name: String, _ timings: Timings, _ note: String, width: Int = 28) {
    print("  \(padded(name, to: width))\(timings.text)  \(note)")
  }

  /// A name with spaces up to the column of its figures.
  static func padded(_ name: String, to width: Int) -> String {
    name + String(repeating: " ", count: max(1, width - name.count))
  }
}
