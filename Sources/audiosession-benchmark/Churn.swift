import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes

/// Makes random events against one `watch`; in the end the state must match the profile.
struct Churn {
  private let bench: Bench
  private var client: PulseClient
  private var generator: Seeded
  private var modules: [Index<Module>] = []
  private var counts: [String: Int] = [:]

  static func run(_ count: Int, seed: UInt64) async throws {
    try await Bench.with { bench in
      let watcher = try await bench.watch()
      let before = ProcessFigures(watcher.process)
      var churn = Churn(
        bench: bench, client: try await bench.client(), generator: Seeded(seed: seed))
      let start = ContinuousClock.now
      var tenths: [String] = []
      for number in 0..<count {
        try await churn.event()
        guard (number + 1) * 10 / count > tenths.count else { continue }
        tenths.append(ProcessFigures(watcher.process).residentWords)
      }
      let took = ContinuousClock.now - start
      try await churn.tidyUp()
      // What flaps is used after a pause. A setting in a conflict is left alone for longer; applying
      // again ends that, as for users.
      var flaws = try await bench.awaitNoFlaws(within: .seconds(6), churn.flaws)
      let hadConflict = !flaws.isEmpty
      if hadConflict {
        watcher.signal(SIGHUP)
        flaws = try await bench.awaitNoFlaws(within: .seconds(20), churn.flaws)
      }
      let after = ProcessFigures(watcher.process)
      let status = watcher.end()
      await churn.client.close()
      print("\(count) random events in \(Timings.words(took)), seed \(seed)")
      print(
        "  "
          + churn.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
          .joined(separator: ", "))
      print("  before: \(before)\n  after:  \(after)")
      print("  MiB resident after each tenth: \(tenths.joined(separator: " "))")
      print(
        "  in effect\(hadConflict ? " after applying again (a conflict)" : " by itself"): \(flaws.isEmpty)"
      )
      guard flaws.isEmpty, status == 143 else {
        throw Process.Failure(
          description: "watch ended with \(status); \(flaws.joined(separator: "; ")); "
            + "its last events:\n\(watcher.tail(20))")
      }
    }
  }

  /// What differs from the profile, for a process that plans and for `pactl`.
  private func flaws() async throws -> [String] {
    let plan = try await bench.sandbox.capture(
      [File.programFolder + "/audiosession", "plan", bench.profile, "--json"]
    ).standardOutput
    guard plan.contains("\"steps\": []") else { return ["the plan is \(plan)"] }
    return try await bench.flaws()
  }

  /// One event. What the server refuses at that moment is one, too.
  private mutating func event() async throws {
    let (name, act) = pick()
    counts[name, default: 0] += 1
    do {
      try await act(&self)
    } catch let error as PulseError {
      guard [.connectionRefused, .disconnected].contains(error.code) else { return }
      do {
        client = try await bench.client()
      } catch let second {
        let number = counts.values.reduce(0, +)
        throw Process.Failure(
          description: "event \(number), \(name): \(error); then \(second); "
            + "the server's log ends with:\n\(bench.sandbox.log().suffix(2000))")
      }
    } catch let error as SandboxError where error.code == .noSuchDevice || error.code == .refused {}
  }

  private typealias Act = (inout Churn) async throws -> Void

  private mutating func pick() -> (String, Act) {
    switch Int.random(in: 0..<1000, using: &generator) {
    case 0..<2: ("restart", { try await $0.restart() })
    case 2..<4: ("freeze", { try await $0.freeze() })
    case 4..<12: ("pull out", { try await $0.bench.sandbox.unplug(Bench.micCard) })
    case 12..<24: ("put back", { try await $0.bench.sandbox.plug(Bench.micCard) })
    case 24..<200: ("jack", { try await $0.jack() })
    case 200..<300: ("profile", { try await $0.profile() })
    case 300..<450: ("default", { try await $0.makeDefault() })
    case 450..<600: ("volume", { try await $0.volume() })
    case 600..<650: ("mute", { try await $0.mute() })
    case 650..<700: ("port", { try await $0.port() })
    case 700..<860: ("module in", { try await $0.load() })
    default: ("module out", { try await $0.unload() })
    }
  }

  private mutating func restart() async throws {
    try await bench.sandbox.resetMediaServices()
    modules = []
    await client.close()
    client = try await bench.client()
  }

  private mutating func freeze() async throws {
    try await bench.sandbox.freeze()
    let time = Int.random(in: 0..<20_000, using: &generator)
    try await ContinuousClock().sleep(for: .microseconds(time))
    try await bench.sandbox.thaw()
  }

  private mutating func jack() async throws {
    let ports = [
      "analog-input-headset-mic", "analog-input-linein", "analog-output-headphones",
      "hdmi-output-0", "analog-input-mic",
    ]
    let port = ports.randomElement(using: &generator)!
    let card = port == "analog-input-mic" ? Bench.micCard : Bench.laptop
    let message = ["plug", "unplug", "unknown"].randomElement(using: &generator)!
    _ = try await client.sendMessage(to: "/card/\(card)/sim", message, "\"\(port)\"")
  }

  private mutating func profile() async throws {
    let name = Bool.random(using: &generator) ? Bench.laptop : Bench.micCard
    guard let card = try await client.card(named: name),
      let profile = card.profiles.randomElement(using: &generator)
    else { return }
    try await client.setCardProfile(name, profile.name)
  }

  private mutating func makeDefault() async throws {
    if Bool.random(using: &generator) {
      guard let sink = try await client.sinks().randomElement(using: &generator) else { return }
      try await client.setDefaultSink(sink.name)
    } else {
      guard let source = try await client.sources().randomElement(using: &generator) else { return }
      try await client.setDefaultSource(source.name)
    }
  }

  private mutating func anyDevice() async throws -> Device? {
    let devices = try await client.sinks() + client.sources()
    return devices.randomElement(using: &generator)
  }

  private mutating func volume() async throws {
    guard let device = try await anyDevice() else { return }
    let volume = Volume(fraction: Double.random(in: 0...1, using: &generator))
    try await client.setVolume(
      device.direction, device: device.name,
      ChannelVolumes(volume, channels: device.channelMap.count))
  }

  private mutating func mute() async throws {
    guard let device = try await anyDevice() else { return }
    try await client.setMute(
      device.direction, device: device.name, Bool.random(using: &generator))
  }

  private mutating func port() async throws {
    guard let device = try await anyDevice(),
      let port = device.ports.randomElement(using: &generator)
    else { return }
    try await client.setPort(device.direction, device: device.name, port: port.name)
  }

  private mutating func load() async throws {
    guard modules.count < 8 else { return try await unload() }
    let kind = Bool.random(using: &generator) ? "null-sink" : "null-source"
    modules.append(try await client.loadModule("module-\(kind)"))
  }

  private mutating func unload() async throws {
    guard !modules.isEmpty else { return }
    try await client.unloadModule(modules.removeLast())
  }

  /// Makes the mode possible again; corrects nothing else.
  private mutating func tidyUp() async throws {
    try await bench.sandbox.plug(Bench.micCard)
    _ = try await client.sendMessage(
      to: "/card/\(Bench.micCard)/sim", "plug", "\"analog-input-mic\"")
  }
}
