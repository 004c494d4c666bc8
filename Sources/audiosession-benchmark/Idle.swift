import Pulse
import PulseTypes

/// A `watch` with nothing to do.
struct Idle {
  static func run(_ seconds: Int) async throws {
    try await Bench.holding { bench, watcher in
      let client = try await bench.client()
      // The devices suspend five seconds after their last stream: that is something to do, once more five
      // seconds later.
      try await ContinuousClock().sleep(for: .seconds(20))
      let before = ProcessFigures(watcher.process)
      try await ContinuousClock().sleep(for: .seconds(seconds))
      let after = ProcessFigures(watcher.process)
      let wakeUps = after.wakeUps(since: before)
      print("an idle watch, \(seconds) s\n  woken up \(wakeUps) times; \(after)")
      for source in try await client.sources() where source.name == Bench.mic {
        print("  the microphone is \(source.state.rawValue)")
      }
      await client.close()
      var faults = try await bench.flaws()
      if wakeUps > 0 { faults.append("it woke up \(wakeUps) times with nothing to do") }
      if min(before.resident, after.resident) <= 0 { faults.append("its memory was not read") }
      return faults
    }
  }
}
