import Glibc
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
    try await Bench.holding { bench, watcher in
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
      await churn.client.close()
      // What flaps is used after a pause. A setting in a conflict is left alone for longer; applying
      // again ends that, as for users.
      var flaws = try await bench.awaitNoFlaws(within: .seconds(6))
      let hadConflict = !flaws.isEmpty
      if hadConflict {
        watcher.signal(SIGHUP)
        flaws = try await bench.awaitNoFlaws(within: .seconds(20))
      }
      let counts = churn.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      let how = hadConflict ? "after applying again (a conflict)" : "by itself"
      print("\(count) random events in \(Timings.words(took)), seed \(seed)")
      print("  \(counts.joined(separator: ", "))")
      print("  before: \(before)\n  after:  \(ProcessFigures(watcher.process))")
      print("  MiB resident after each tenth: \(tenths.joined(separator: " "))")
      print("  in effect \(how): \(flaws.isEmpty)")
      return flaws
    }
  }

  /// One event. What the server refuses at that moment is one, too.
  private mutating func event() async throws {
    var number = Int.random(in: 0..<1000, using: &generator)
    let (_, name, act) = Self.events.first {
      number -= $0.share
      return number < 0
    }!
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

  private typealias Act = @Sendable (inout Churn) async throws -> Void

  /// The events, and how many of a thousand each of them is.
  private static let events: [(share: Int, name: String, act: Act)] = [
    (2, "restart", { try await $0.restart() }),
    (2, "freeze", { try await $0.freeze() }),
    (8, "pull out", { try await $0.bench.sandbox.unplug(Bench.micCard) }),
    (12, "put back", { try await $0.bench.sandbox.plug(Bench.micCard) }),
    (176, "jack", { try await $0.jack() }),
    (100, "profile", { try await $0.profile() }),
    (150, "default", { try await $0.makeDefault() }),
    (150, "volume", { try await $0.volume() }),
    (50, "mute", { try await $0.mute() }),
    (50, "port", { try await $0.port() }),
    (160, "module in", { try await $0.load() }),
    (140, "module out", { try await $0.unload() }),
  ]

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
