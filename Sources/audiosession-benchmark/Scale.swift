import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes

/// The cost of a holder and of a read with more and more devices and streams: the cost of an event
/// should stay constant, that of a read grow with the server.
struct Scale {
  private static let repetitions = 10
  private static let burst = 500
  private static let single = 40

  private let size: Int
  private let sandbox: PulseSandbox
  private let environment: [String: String]
  private let client: PulseClient

  static func run(_ largest: Int) async throws {
    raiseLimit()
    print("devices and streams, so many of each; CPU time is that of the holder")
    for size in [10, 100, 1000] where size <= largest {
      try await PulseSandbox.with(.minimal) { sandbox in
        let client = try await PulseClient.connect(
          to: sandbox.address, name: "scale", requestTimeout: .seconds(30))
        let environment = sandbox.environment.merging(["PATH": "/usr/bin:/bin"]) { a, _ in a }
        let scale = Scale(
          size: size, sandbox: sandbox, environment: environment, client: client)
        let streams = try await scale.fill()
        try scale.programs()
        try await scale.holder()
        for stream in streams { await stream.close() }
        await client.close()
      }
    }
  }

  /// A null sink takes some descriptors of the server, which has the limit of this process.
  private static func raiseLimit() {
    var limit = rlimit()
    let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    getrlimit(kind, &limit)
    limit.rlim_cur = min(limit.rlim_max, 65536)
    setrlimit(kind, &limit)
  }

  /// Makes the devices, and a corked stream on each.
  private func fill() async throws -> [PulseStream] {
    var streams: [PulseStream] = []
    for number in 0..<size {
      _ = try await client.loadModule("module-null-sink", "sink_name=sink\(number)")
      streams.append(
        try await client.openStream(
          StreamOptions(
            direction: .output, name: "stream\(number)", device: "sink\(number)",
            spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: true)))
    }
    return streams
  }

  /// Runs whole programs that read everything, one after the other.
  private func programs() throws {
    let program = File.programFolder + "/audiosession"
    var (state, pactl, pulsectl) = ([Duration](), [Duration](), [Duration]())
    let hasPulsectl =
      (try? Process.run(["/usr/bin/python3", "-c", "import pulsectl"], environment))
    for _ in 0..<Self.repetitions {
      state.append(try Process.run([program, "state", "--json"], environment))
      pactl.append(try Process.run(["pactl", "-f", "json", "list"], environment))
      if hasPulsectl != nil {
        pulsectl.append(try Process.run(["/usr/bin/python3", "-c", Self.python], environment))
      }
    }
    row("state --json", state)
    row("pactl -f json list", pactl)
    if hasPulsectl != nil { row("a listing with pulsectl", pulsectl) }
  }

  private static let python = """
    import pulsectl
    with pulsectl.Pulse('scale') as pulse:
        pulse.server_info(), pulse.sink_list(), pulse.source_list(), pulse.card_list()
        pulse.sink_input_list(), pulse.source_output_list(), pulse.module_list()
    """

  private func holder() async throws {
    let profile = sandbox.directory + "/scale.toml"
    try Process.write(
      "category = \"record\"\n[input]\nprefer = [\"mic\"]\ngain = \"80 %\"\n", to: profile)
    let start = ContinuousClock.now
    let watcher = try await Watcher.watching(
      profile, environment, messages: sandbox.directory + "/scale.messages", within: .seconds(60))
    row("watch, from its start to applied", [ContinuousClock.now - start])
    _ = try await heal(watcher)
    let burst = try await cost(watcher, events: Self.burst, pause: nil)
    let single = try await cost(watcher, events: Self.single, pause: .milliseconds(30))
    row("CPU of an event, \(Self.burst) at once", [burst])
    row("CPU of an event by itself", [single])
    var heals: [Duration] = []
    for _ in 0..<Self.repetitions {
      // Pauses, because so many changes at once would count as a conflict.
      try await ContinuousClock().sleep(for: .seconds(2))
      heals.append(try await heal(watcher))
    }
    row("a foreign default put back", heals)
    let memory = ProcessFigures(watcher.process).resident
    let name = Benchmark.padded("\(size): memory of the holder", to: 44)
    print("  \(name)\(memory / 1024) MiB resident")
    _ = watcher.end()
  }

  /// The CPU time of an event, while another program changes a device's volume.
  private func cost(_ watcher: Watcher, events: Int, pause: Duration?) async throws -> Duration {
    let before = Self.processorTime(watcher.process)
    for number in 0..<events {
      try await client.setVolume(.output, device: "sink1", level(number))
      if let pause { try await ContinuousClock().sleep(for: pause) }
    }
    // The holder sees later changes after these.
    try await ContinuousClock().sleep(for: .seconds(1))
    _ = try await heal(watcher)
    return .nanoseconds((Self.processorTime(watcher.process) - before) / Int64(events))
  }

  private func level(_ number: Int) -> ChannelVolumes {
    ChannelVolumes(Volume(fraction: number % 2 == 0 ? 0.4 : 0.5), channels: 2)
  }

  /// From the change to the event.
  private func heal(_ watcher: Watcher) async throws -> Duration {
    let place = watcher.count
    let start = ContinuousClock.now
    try await client.setDefaultSource("sink0.monitor")
    guard let line = try await watcher.await("reapplied", from: place, within: .seconds(60)) else {
      throw Process.Failure(description: "not put back: \(watcher.tail(5))")
    }
    return line.time - start
  }

  /// The CPU time of all threads of a process, in nanoseconds.
  private static func processorTime(_ process: pid_t) -> Int64 {
    Folder.names("/proc/\(process)/task").reduce(0) { sum, task in
      let words = File.text("/proc/\(process)/task/\(task)/schedstat").split(separator: " ")
      return sum + (words.first.flatMap { Int64($0) } ?? 0)
    }
  }

  private func row(_ name: String, _ durations: [Duration]) {
    Benchmark.row("\(size): \(name)", Timings(durations), "", width: 44)
  }
}
