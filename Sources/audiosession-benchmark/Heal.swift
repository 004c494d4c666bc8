import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes

/// Measures how long a setting that another program changed stays changed: a holding session beside
/// bare libpulse and a loop on pulsectl, in the same run.
struct Heal {
  /// A setting that is changed and must be restored.
  enum Change: String, CaseIterable {
    case defaultSource = "default source"
    case port
    case profile = "card profile"
  }

  static let source = Bench.laptopMic
  static let port = "analog-input-internal-mic"
  static let profile = "output:analog-stereo+input:analog-stereo"

  private static let names = (
    session: "a holding session", floor: "bare libpulse", peer: "pulsectl in Python"
  )

  /// The three are measured in turn this often, because a process may be slow for as long as it lives.
  private static let mostRounds = 5

  private let bench: Bench
  private let bare: Bare
  /// All times of all rounds, in the order of `Change`, by who restored it.
  private var times: [String: [[Duration]]] = [:]
  /// How often the session waited for the server each time, in the order of `Change`.
  private var trips = Change.allCases.map { _ in [Int]() }
  /// The loops that cannot be measured.
  private var unmeasured: Set<String> = []
  /// The memory of the loops.
  private var memory: [String: [(name: String, size: Double)]] = [:]

  static func run(_ count: Int) async throws {
    for kind in [ServerKind.pulseaudio, .pipewire] where ServerProgram.isInstalled(kind) {
      try await Bench.with(kind) { try await run(max(1, count / Change.allCases.count), $0, kind) }
    }
  }

  private static func run(_ each: Int, _ bench: Bench, _ kind: ServerKind) async throws {
    let place = kind == .pipewire ? "on PipeWire, " : ""
    let rounds = min(mostRounds, each)
    print(
      "\(place)a foreign change restored, \(each) times each in \(rounds) rounds, from the change "
        + "to an outsider's reading")
    var heal = Heal(bench: bench, bare: try Bare(in: bench.sandbox))
    for round in 0..<rounds {
      let part = each * (round + 1) / rounds - each * round / rounds
      try await heal.session(part)
      try await heal.loop(names.floor, [heal.bare.path, "heal"], part)
      try await heal.loop(names.peer, ["/usr/bin/python3", "-c", python], part)
    }
    heal.printRows()
    heal.note(place)
    if kind == .pulseaudio { try await heal.noteMemory() }
  }

  private func printRows() {
    for name in [Self.names.session, Self.names.floor, Self.names.peer] {
      for (change, times) in zip(Change.allCases, times[name] ?? []) {
        let timings = Timings(times)
        Benchmark.row("\(name), \(change.rawValue)", timings, timings.tail, width: 44)
      }
    }
  }

  /// Prints ratios of the medians over all rounds.
  private func note(_ place: String) {
    for (index, change) in Change.allCases.enumerated() {
      let name = "\(place)a \(change.rawValue) restored"
      let own = median(Self.names.session, index) ?? .nan
      let floor = median(Self.names.floor, index)
      if let peer = median(Self.names.peer, index) {
        Ratios.note("\(name), of pulsectl's", own / peer, floor: floor.map { $0 / peer })
      }
      if let floor { Ratios.note("\(name), of bare libpulse's", own / floor) }
      let waits = trips[index].sorted()
      Ratios.note("\(name), by the session", Double(waits[waits.count / 2]), "round trips")
    }
  }

  /// Seconds; nil if it was not measured.
  private func median(_ name: String, _ index: Int) -> Double? {
    times[name].map { Timings($0[index]).median.seconds }
  }

  /// Prints the memory of a `watch` beside that of the loops.
  private func noteMemory() async throws {
    let watcher = try await Watcher.watching("podcast", in: bench.sandbox)
    let figures = Result { try ProcessFigures.memory(of: watcher.process) }
    _ = watcher.end()
    print("memory of watch; the peer is \(Self.names.peer), the floor \(Self.names.floor)")
    for (index, figure) in try figures.get().enumerated() {
      Ratios.note(
        figure.name, figure.size, "MiB", peer: memory[Self.names.peer]?[index].size,
        floor: memory[Self.names.floor]?[index].size)
    }
  }

  private static var mode: AudioMode {
    var mode = AudioMode(category: .playAndRecord)
    mode.preferredInput = [.name(source)]
    mode.inputPort = [.name(port)]
    return mode
  }

  private mutating func session(_ count: Int) async throws {
    let session = AudioSession(in: bench.sandbox)
    try await session.setAudioMode(Self.mode)
    try await measure(Self.names.session, count, of: session)
    try await session.revert()
    await session.close()
  }

  private mutating func loop(_ name: String, _ command: [String], _ count: Int) async throws {
    guard !unmeasured.contains(name) else { return }
    do {
      try await measureLoop(name, command, count)
    } catch {
      unmeasured.insert(name)
      times[name] = nil
      print("  \(name): not measured (\(error))")
    }
  }

  private mutating func measureLoop(
    _ name: String, _ command: [String], _ count: Int
  ) async throws {
    let words = command + [Self.source, Self.port, Bench.laptop, Self.profile]
    let messages = bench.sandbox.directory + "/loop.messages"
    let process = try Process.spawn(
      words, bench.environment,
      files: [(1, "/dev/null", O_WRONLY), (2, messages, O_WRONLY | O_CREAT | O_TRUNC)])
    defer {
      kill(process, SIGTERM)
      reap(process)
    }
    guard try await hasHealer() else {
      let reason = File.text(messages).split(separator: "\n").last ?? "no change is restored"
      let remedy = reason.hasSuffix("'pulsectl'") ? "; install the package python3-pulsectl" : ""
      throw Process.Failure(description: "\(reason)\(remedy)")
    }
    memory[name] = try ProcessFigures.memory(of: process)
    try await measure(name, count)
  }

  /// Each change begins in quiet, like a person's. One that follows another closely would be a
  /// burst, the end of which the session awaits.
  private mutating func measure(
    _ name: String, _ count: Int, of session: AudioSession? = nil
  ) async throws {
    let outsider = try Outsider(
      [
        bare.path, "change", Self.source, Bench.mic, Self.port, "analog-input-headset-mic",
        Bench.laptop, Self.profile, "output:analog-stereo",
      ], bench.environment)
    defer { outsider.end() }
    for (index, change) in Change.allCases.enumerated() {
      for _ in 0..<count {
        let before = await session?.roundTrips ?? 0
        let time = try await outsider.time(change.rawValue)
        times[name, default: Change.allCases.map { _ in [] }][index].append(time)
        try await ContinuousClock().sleep(for: .milliseconds(50))
        guard let session else { continue }
        // By now it has read what it wrote.
        let waits = await session.roundTrips - before
        trips[index].append(waits)
        // Applies the mode again; otherwise so many changes would count as a conflict.
        try await session.setAudioMode(Self.mode)
        try await ContinuousClock().sleep(for: .milliseconds(50))
      }
    }
  }

  /// Waits until a loop restores a change: it takes a while until it listens.
  private func hasHealer() async throws -> Bool {
    let outside = try await bench.client()
    // Sets the expected values, then makes changes until one is restored.
    try await outside.setCardProfile(Bench.laptop, Self.profile)
    try await outside.setPort(.input, device: Self.source, port: Self.port)
    let isBack = try await Self.isRestored(Self.source, after: Bench.mic, on: outside)
    await outside.close()
    return isBack
  }

  /// Changes the default source until a program restores it; false if none does for some seconds.
  static func isRestored(
    _ source: String, after other: String, on outside: PulseClient
  ) async throws -> Bool {
    for _ in 0..<100 {
      try await outside.setDefaultSource(source)
      try await outside.setDefaultSource(other)
      try await ContinuousClock().sleep(for: .milliseconds(50))
      if try await outside.serverInfo().defaultSourceName == source { return true }
    }
    return false
  }

  private static let python = """
    import sys, pulsectl
    source, port, card, profile = sys.argv[1:]
    with pulsectl.Pulse('heal') as pulse:
        pulse.event_mask_set('all')
        pulse.event_callback_set(lambda event: (_ for _ in ()).throw(pulsectl.PulseLoopStop))
        while True:
            pulse.event_listen()
            try:
                found = pulse.get_card_by_name(card)
                if found.profile_active.name != profile:
                    pulse.card_profile_set(found, profile)
                found = pulse.get_source_by_name(source)
                if found.port_active.name != port:
                    pulse.port_set(found, port)
                if pulse.server_info().default_source_name != source:
                    pulse.source_default_set(source)
            except pulsectl.PulseError:
                pass
    """
}
