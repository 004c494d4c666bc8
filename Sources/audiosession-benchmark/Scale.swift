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
  private static let source = "mic"
  /// What another program makes the default.
  private static let other = "sink0.monitor"

  private let size: Int
  private let isBrief: Bool
  private let sandbox: PulseSandbox
  private let environment: [String: String]
  private let client: PulseClient
  private let bare: Bare

  /// - Parameter isBrief: leaves out the cost of an event.
  static func run(_ sizes: [Int], isBrief: Bool = false) async throws {
    raiseLimit()
    print("devices and streams, so many of each; CPU time is that of the holder")
    var states: [Int: (ratio: Double, floor: Double)] = [:]
    var heals: [Int: (own: Double, floor: Double)] = [:]
    for size in sizes {
      try await PulseSandbox.with(.minimal) { sandbox in
        let client = try await PulseClient.connect(
          to: sandbox.address, name: "scale", requestTimeout: .seconds(30))
        let scale = Scale(
          size: size, isBrief: isBrief, sandbox: sandbox, environment: sandbox.programEnvironment,
          client: client, bare: try Bare(in: sandbox))
        let streams = try await scale.fill()
        states[size] = try scale.programs()
        heals[size] = (own: try await scale.holder(), floor: try await scale.bareHolder())
        for stream in streams { await stream.close() }
        await client.close()
      }
    }
    guard let few = heals[10], let many = heals[1000], let state = states[1000] else { return }
    Ratios.note(
      "a default restored with 1,000 objects, of that with 10", many.own / few.own,
      floor: many.floor / few.floor)
    Ratios.note(
      "state --json with 1,000 objects, of pactl -f json list", state.ratio, floor: state.floor)
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

  /// Runs whole programs that read everything, one after the other. Returns the time of `state` and of
  /// bare libpulse as ratios to that of `pactl`.
  private func programs() throws -> (ratio: Double, floor: Double) {
    let programs = [
      ("state --json", [File.programFolder + "/audiosession", "state", "--json"]),
      ("pactl -f json list", ["pactl", "-f", "json", "list"]),
      ("bare libpulse", [bare.path, "list"]),
    ]
    var times = programs.map { _ in [Duration]() }
    for _ in 0..<Self.repetitions {
      for (index, program) in programs.enumerated() {
        times[index].append(try Process.run(program.1, environment))
      }
    }
    for (program, times) in zip(programs, times) { row(program.0, times) }
    let medians = times.map { Timings($0).median.seconds }
    return (ratio: medians[0] / medians[1], floor: medians[2] / medians[1])
  }

  /// Returns how many seconds a foreign default lasts, as an outsider sees it.
  private func holder() async throws -> Double {
    let profile = sandbox.directory + "/scale.toml"
    try Process.write(
      "category = \"record\"\n[input]\nprefer = [\"mic\"]\ngain = \"80 %\"\n", to: profile)
    let start = ContinuousClock.now
    let watcher = try await Watcher.watching(profile, in: sandbox, within: .seconds(60))
    row("watch, from its start to applied", [ContinuousClock.now - start])
    let outsider = try outsider()
    defer { outsider.end() }
    _ = try await heal(watcher, outsider)
    if !isBrief {
      let burst = try await cost(watcher, outsider, events: Self.burst, pause: nil)
      let single = try await cost(
        watcher, outsider, events: Self.single, pause: .milliseconds(30))
      row("CPU of an event, \(Self.burst) at once", [burst])
      row("CPU of an event by itself", [single])
    }
    var heals: [Duration] = []
    for _ in 0..<Self.repetitions {
      try await applyAgain(watcher)
      heals.append(try await heal(watcher, outsider))
    }
    row("a foreign default restored", heals)
    let memory = ProcessFigures(watcher.process).resident
    let name = Benchmark.padded("\(size): memory of the holder", to: 44)
    print("  \(name)\(memory / 1024) MiB resident")
    _ = watcher.end()
    return Timings(heals).median.seconds
  }

  /// Returns how many seconds it lasts where bare libpulse restores it, as the same outsider sees it.
  private func bareHolder() async throws -> Double {
    let holder = try Process.spawn([bare.path, "heal", Self.source], environment)
    defer {
      kill(holder, SIGTERM)
      reap(holder)
    }
    guard try await Heal.isRestored(Self.source, after: Self.other, on: client) else {
      throw Process.Failure(description: "bare libpulse restores no default")
    }
    let outsider = try outsider()
    defer { outsider.end() }
    var times: [Duration] = []
    for _ in 0..<Self.repetitions {
      // Each begins in quiet, as with a holder.
      try await ContinuousClock().sleep(for: .milliseconds(100))
      times.append(try await outsider.time("default"))
    }
    row("… by bare libpulse", times)
    return Timings(times).median.seconds
  }

  /// A process that changes the default and waits until it reads the former one.
  private func outsider() throws -> Outsider {
    try Outsider([bare.path, "change", Self.source, Self.other], environment)
  }

  /// Makes the holder forget the foreign changes so far: so many would count as a conflict.
  private func applyAgain(_ watcher: Watcher) async throws {
    let place = watcher.count
    watcher.signal(SIGHUP)
    guard try await watcher.await("applied", from: place, within: .seconds(60)) != nil else {
      throw Process.Failure(description: "not applied again: \(watcher.tail(5))")
    }
    // What follows begins in quiet.
    try await ContinuousClock().sleep(for: .milliseconds(100))
  }

  /// The CPU time of an event, while another program changes a device's volume.
  private func cost(
    _ watcher: Watcher, _ outsider: Outsider, events: Int, pause: Duration?
  ) async throws -> Duration {
    try await applyAgain(watcher)
    let before = ProcessFigures.processorTime(of: watcher.process)
    for number in 0..<events {
      try await client.setVolume(.output, device: "sink1", level(number))
      if let pause { try await ContinuousClock().sleep(for: pause) }
    }
    // The holder sees later changes after these.
    try await ContinuousClock().sleep(for: .seconds(1))
    _ = try await heal(watcher, outsider)
    return (ProcessFigures.processorTime(of: watcher.process) - before) / events
  }

  private func level(_ number: Int) -> ChannelVolumes {
    ChannelVolumes(Volume(fraction: number % 2 == 0 ? 0.4 : 0.5), channels: 2)
  }

  /// From the change to the outsider's reading; returns once the holder has read what it wrote, too.
  private func heal(_ watcher: Watcher, _ outsider: Outsider) async throws -> Duration {
    let place = watcher.count
    let time = try await outsider.time("default")
    guard try await watcher.await("reapplied", from: place, within: .seconds(60)) != nil else {
      throw Process.Failure(description: "not restored: \(watcher.tail(5))")
    }
    return time
  }

  private func row(_ name: String, _ durations: [Duration]) {
    Benchmark.row("\(size): \(name)", Timings(durations), "", width: 44)
  }
}
