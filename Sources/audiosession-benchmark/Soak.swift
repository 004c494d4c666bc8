import Glibc
import Pulse
import PulseTypes

/// One `watch` beside a program that changes something each second: its own memory must not grow.
struct Soak {
  /// MiB that its own memory may grow by after the first tenth of the time.
  private static let mostGrowth = 0.25

  private let client: PulseClient
  private let watcher: Watcher

  static func run(_ seconds: Int) async throws {
    try await Bench.holding { bench, watcher in
      let soak = Soak(client: try await bench.client(), watcher: watcher)
      print("a watch with an event each second, \(seconds) s")
      let start = ContinuousClock.now
      var early = 0.0
      for number in 0..<seconds {
        // A second after the last event: in quiet.
        if number == seconds / 10 { early = try soak.report(after: number) }
        try await soak.event(number)
        try await ContinuousClock().sleep(until: start + Duration.seconds(number + 1))
      }
      var faults = try await bench.awaitNoFlaws(within: .seconds(6))
      let late = try soak.report(after: seconds)
      await soak.client.close()
      if late - early > mostGrowth {
        let sizes = "\(Ratios.words(early)) to \(Ratios.words(late)) MiB"
        faults.append("its own memory grew from \(sizes)")
      }
      return faults
    }
  }

  /// A volume and a default, which the holder restores, a module, and a stream, in turn.
  private func event(_ number: Int) async throws {
    switch number % 4 {
    case 0:
      try await client.setVolume(
        .input, device: Bench.mic, ChannelVolumes(Volume(fraction: 0.4), channels: 2))
    case 1: try await client.setDefaultSource(Bench.laptopMic)
    case 2:
      let module = try await client.loadModule("module-null-sink")
      try await client.unloadModule(module)
    default:
      let stream = try await client.openStream(
        StreamOptions(
          direction: .output, name: "soak",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2)))
      await stream.close()
      // Applies the mode again after four of each: five without a pause would count as a conflict.
      if number % 16 == 15 { watcher.signal(SIGHUP) }
    }
  }

  /// Prints the figures of the holder; returns its own memory in MiB.
  private func report(after seconds: Int) throws -> Double {
    let figures = ProcessFigures(watcher.process)
    let memory = try ProcessFigures.memory(of: watcher.process)
    let sizes = memory.map { "\($0.name) \(Ratios.words($0.size))" }.joined(separator: ", ")
    let time = Ratios.words(ProcessFigures.processorTime(of: watcher.process).seconds)
    print(
      "  after \(seconds) s: \(sizes) MiB; \(figures.descriptors) descriptors, "
        + "\(figures.threads) threads, \(time) s of processor time")
    return memory.last?.size ?? 0
  }
}
