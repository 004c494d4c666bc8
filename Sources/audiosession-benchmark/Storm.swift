import AudioSession
import Glibc
import Pulse
import PulseSandbox
import PulseTypes

/// Streams and modules that are added and removed, thousands of events a second, against a holding
/// session.
struct Storm {
  static func run(_ events: Int) async throws {
    try await Bench.with { bench in
      let session = AudioSession(in: bench.sandbox)
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Bench.mic)]
      mode.channelMap = .swap
      try await session.setAudioMode(mode)
      let before = await (session.roundTrips, session.looks)
      let figures = ProcessFigures(getpid())
      let counter = try await bench.client()
      try await counter.subscribe()
      let seen = await counter.events(bufferingNewest: 2 * events)
      let start = ContinuousClock.now
      var clients: [PulseClient] = []
      for _ in 0..<4 { clients.append(try await bench.client()) }
      try await withThrowingTaskGroup { group in
        // Each round makes about seven events; the server drops an event while an equal one is pending.
        for (number, client) in clients.enumerated() {
          group.addTask { try await blow(client, number, rounds: events / 4 / 7) }
        }
        do { try await group.waitForAll() } catch {
          print(bench.sandbox.log().suffix(2000)); throw error
        }
      }
      // In the middle of the remaining storm.
      let end = ContinuousClock.now
      try await clients[0].setDefaultSource(Bench.laptopMic)
      while try await clients[0].serverInfo().defaultSourceName != "audiosession.input" {
        guard ContinuousClock.now - end < .seconds(10) else {
          throw Process.Failure(description: "the default is not restored")
        }
      }
      let settled = ContinuousClock.now - end
      for client in clients { await client.close() }
      await counter.close()
      var count = 0
      for await _ in seen { count += 1 }
      let trips = await session.roundTrips - before.0
      let looks = await session.looks - before.1
      try await session.revert()
      await session.close()
      let took = end - start
      print("a storm of \(count) events in \(Timings.words(took))")
      print("  the session planned again \(looks) times, and read or wrote \(trips) times")
      print("  a foreign default at its end was restored after \(Timings.words(settled))")
      print(
        "  resident before \(figures.resident) KiB, after \(ProcessFigures(getpid()).resident) KiB")
    }
  }

  private static func blow(_ client: PulseClient, _ number: Int, rounds: Int) async throws {
    let timeout = Duration.seconds(60)
    for _ in 0..<rounds {
      do throws(PulseError) {
        let module = try await client.loadModule(
          "module-null-sink", "sink_name=storm\(number)", timeout: timeout)
        try await client.unloadModule(module, timeout: timeout)
      } catch {
        guard error.code == .moduleFailed else { throw error }
        // The server unloads a moment after its answer, and may have no descriptor left meanwhile.
        try await ContinuousClock().sleep(for: .milliseconds(1))
      }
    }
  }
}
