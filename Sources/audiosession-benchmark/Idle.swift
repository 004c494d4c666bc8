import Pulse
import PulseTypes

/// A `watch` with nothing to do.
struct Idle {
  static func run(_ seconds: Int) async throws {
    try await Bench.with { bench in
      let watcher = try await bench.watch()
      let client = try await bench.client()
      // The devices suspend five seconds after their last stream: that is something to do.
      try await ContinuousClock().sleep(for: .seconds(8))
      let before = ProcessFigures(watcher.process)
      try await ContinuousClock().sleep(for: .seconds(seconds))
      let after = ProcessFigures(watcher.process)
      let snapshot = try await client.snapshot()
      await client.close()
      _ = watcher.end()
      print("an idle watch, \(seconds) s")
      print("  woken up \(after.wakeUps(since: before)) times; \(after)")
      for source in snapshot.sources where source.name == Bench.mic {
        print("  the microphone is \(source.state.rawValue)")
      }
    }
  }
}
