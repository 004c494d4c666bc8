import Glibc
import POSIX
import PulseSandbox
import PulseTypes

/// A server that is killed and started again and again, each second time during an apply.
struct Restarts {
  static func run(_ count: Int) async throws {
    for kind in [ServerKind.pulseaudio, .pipewire] where ServerProgram.isInstalled(kind) {
      try await Bench.holding(kind) { try await run(count, $0, $1, kind) }
    }
  }

  private static func run(
    _ count: Int, _ bench: Bench, _ watcher: Watcher, _ kind: ServerKind
  ) async throws -> [String] {
    var generator = Seeded(seed: 1)
    var (quiet, applying) = ([Duration](), [Duration]())
    var first: ProcessFigures?
    let early = min(20, count / 2)
    for round in 0..<count {
      let isApplying = round % 2 == 1
      if isApplying {
        watcher.signal(SIGHUP)
        // An apply takes some milliseconds: anywhere in it.
        let moment = Duration.microseconds(Int.random(in: 0..<8000, using: &generator))
        try await ContinuousClock().sleep(for: moment)
      }
      let place = watcher.count
      try await bench.sandbox.resetMediaServices()
      guard let socket = File.status(bench.sandbox.directory + "/pulse.sock") else {
        throw Process.Failure(description: "no socket")
      }
      let line = try await watcher.await("serverReset", from: place, within: .seconds(10))
      // PipeWire lists modules and streams in other words.
      let flaws = try await kind == .pipewire ? [] : bench.awaitNoFlaws(within: .seconds(2))
      guard flaws.isEmpty else {
        return ["round \(round)\(isApplying ? ", during an apply" : ""): \(flaws)"]
      }
      if let line {
        let time = max(.zero, line.wallTime.duration - socket.st_mtim.duration)
        if isApplying { applying.append(time) } else { quiet.append(time) }
      }
      if round == early { first = ProcessFigures(watcher.process) }
    }
    let silent = count - quiet.count - applying.count
    print(
      "\(kind.rawValue), killed \(count) times: from its successor's socket to the verified state")
    Benchmark.row("while idle", Timings(quiet), "worst \(Timings(quiet).worst)")
    Benchmark.row("during an apply", Timings(applying), "worst \(Timings(applying).worst)")
    if silent > 0 { print("  \(silent) times without the event serverReset") }
    print("  after \(early + 1): \(first.map(\.description) ?? "-")")
    print("  after \(count): \(ProcessFigures(watcher.process))")
    return silent < count ? [] : ["no restart was reported"]
  }
}

extension timespec {
  var duration: Duration { .seconds(tv_sec) + .nanoseconds(tv_nsec) }
}
