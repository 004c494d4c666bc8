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

  private let bench: Bench
  private let bare: Bare
  /// The medians, in the order of `Change`, by who restored it.
  private var medians: [String: [Duration]] = [:]
  /// How often the session waited for the server, in the order of `Change`: the medians.
  private var trips: [Int] = []
  /// The memory of the loops.
  private var memory: [String: [(name: String, size: Double)]] = [:]

  static func run(_ count: Int) async throws {
    for kind in [ServerKind.pulseaudio, .pipewire] where ServerProgram.isInstalled(kind) {
      try await Bench.with(kind) { try await run(max(1, count / Change.allCases.count), $0, kind) }
    }
  }

  private static func run(_ each: Int, _ bench: Bench, _ kind: ServerKind) async throws {
    let place = kind == .pipewire ? "on PipeWire, " : ""
    print(
      "\(place)a foreign change restored, \(each) times each, from the change to an outsider's "
        + "reading")
    var heal = Heal(bench: bench, bare: try Bare(in: bench.sandbox))
    try await heal.session(each)
    try await heal.loop(names.floor, [heal.bare.path, "heal"], each)
    try await heal.loop(names.peer, ["/usr/bin/python3", "-c", python], each)
    heal.note(place)
    if kind == .pulseaudio { try await heal.noteMemory() }
  }

  private func note(_ place: String) {
    let (floors, peers) = (medians[Self.names.floor], medians[Self.names.peer])
    for (index, change) in Change.allCases.enumerated() {
      let name = "\(place)a \(change.rawValue) restored"
      let own = medians[Self.names.session]?[index].seconds ?? .nan
      let floor = floors?[index].seconds
      if let peer = peers?[index].seconds {
        Ratios.note("\(name), of pulsectl's", own / peer, floor: floor.map { $0 / peer })
      }
      if let floor { Ratios.note("\(name), of bare libpulse's", own / floor) }
      Ratios.note("\(name), by the session", Double(trips[index]), "round trips")
    }
  }

  /// Prints the memory of a `watch` beside that of the loops.
  private func noteMemory() async throws {
    let watcher = try await Watcher.watching(
      "podcast", bench.environment, messages: bench.sandbox.directory + "/watch.messages")
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
    try await rows(Self.names.session, count, of: session)
    try await session.revert()
    await session.close()
  }

  private mutating func loop(_ name: String, _ command: [String], _ count: Int) async throws {
    let words = command + [Self.source, Self.port, Bench.laptop, Self.profile]
    let messages = bench.sandbox.directory + "/loop.messages"
    let process: pid_t
    do {
      process = try Process.spawn(
        words, bench.environment,
        files: [(1, "/dev/null", O_WRONLY), (2, messages, O_WRONLY | O_CREAT | O_TRUNC)])
    } catch {
      return print("  \(name): not measured (\(error))")
    }
    defer {
      kill(process, SIGTERM)
      reap(process)
    }
    guard try await hasHealer() else {
      let reason = File.text(messages).split(separator: "\n").last ?? "no change is restored"
      let remedy = reason.hasSuffix("'pulsectl'") ? "; install the package python3-pulsectl" : ""
      return print("  \(name): not measured (\(reason)\(remedy))")
    }
    do {
      memory[name] = try ProcessFigures.memory(of: process)
      try await rows(name, count)
    } catch {
      medians[name] = nil
      print("  \(name): gave up (\(error))")
    }
  }

  /// Each change begins in quiet, like a person's. One that follows another closely would be a
  /// burst, the end of which the session awaits.
  private mutating func rows(
    _ name: String, _ count: Int, of session: AudioSession? = nil
  ) async throws {
    let outsider = try Outsider(
      [
        bare.path, "change", Self.source, Bench.mic, Self.port, "analog-input-headset-mic",
        Bench.laptop, Self.profile, "output:analog-stereo",
      ], bench.environment)
    defer { outsider.end() }
    for change in Change.allCases {
      var (times, waits) = ([Duration](), [Int]())
      for _ in 0..<count {
        let before = await session?.roundTrips ?? 0
        times.append(try await outsider.time(change.rawValue))
        try await ContinuousClock().sleep(for: .milliseconds(50))
        guard let session else { continue }
        // By now it has read what it wrote.
        waits.append(await session.roundTrips - before)
        // Applies the mode again; otherwise so many changes would count as a conflict.
        try await session.setAudioMode(Self.mode)
        try await ContinuousClock().sleep(for: .milliseconds(50))
      }
      let timings = Timings(times)
      medians[name, default: []].append(timings.median)
      if !waits.isEmpty { trips.append(waits.sorted()[waits.count / 2]) }
      Benchmark.row("\(name), \(change.rawValue)", timings, timings.tail, width: 44)
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
