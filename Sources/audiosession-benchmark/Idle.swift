import Pulse
import PulseTypes

/// A `watch` with nothing to do.
struct Idle {
  static func run(_ seconds: Int) async throws {
    try await Bench.with { bench in
      let watcher = try await bench.watch()
      let client = try await bench.client()
      // The devices suspend five seconds after their last stream: that is something to do, once more five
      // seconds later.
      try await ContinuousClock().sleep(for: .seconds(20))
      let before = ProcessFigures(watcher.process)
      try await ContinuousClock().sleep(for: .seconds(seconds))
      let after = ProcessFigures(watcher.process)
      let snapshot = try await client.snapshot()
      await client.close()
      let flaws = try await bench.flaws()
      let status = watcher.end()
      print("an idle watch, \(seconds) s")
      let wakeUps = after.wakeUps(since: before)
      print("  woken up \(wakeUps) times; \(after)")
      for source in snapshot.sources where source.name == Bench.mic {
        print("  the microphone is \(source.state.rawValue)")
      }
      var faults = flaws
      if wakeUps > 0 { faults.append("it woke up \(wakeUps) times with nothing to do") }
      if status != 143 { faults.append("watch ended with \(status)") }
      if min(before.resident, after.resident) <= 0 { faults.append("its memory was not read") }
      guard faults.isEmpty else {
        throw Process.Failure(description: faults.joined(separator: "; "))
      }
    }
  }
}
