import AudioSession
import Glibc
import Pulse
import PulseSandbox
import PulseTypes

/// Measures how long a setting that another program changed stays changed: a holding session beside
/// a loop on `pactl subscribe` and one on pulsectl, in the same run.
struct Heal {
  /// A setting that is changed and must be restored.
  enum Change: CaseIterable {
    case defaultSource, port, profile

    var name: String {
      switch self {
      case .defaultSource: "default source"
      case .port: "port"
      case .profile: "card profile"
      }
    }
  }

  static let source = Bench.laptopMic
  static let port = "analog-input-internal-mic"
  static let profile = "output:analog-stereo+input:analog-stereo"

  private let bench: Bench
  private let outside: PulseClient
  private let events: AsyncStream<PulseEvent>

  static func run(_ count: Int) async throws {
    try await Bench.with { bench in
      let each = max(1, count / Change.allCases.count)
      print(
        "a foreign change put back, \(each) times each, from the change to an outsider's reading")
      try await session(bench, each)
      try await loop("pactl subscribe in a shell", bench, ["/bin/sh", "-c", shell, "sh"], each)
      try await loop("pulsectl in Python", bench, ["/usr/bin/python3", "-c", python], each)
    }
  }

  private static func session(_ bench: Bench, _ count: Int) async throws {
    let session = AudioSession(
      server: bench.sandbox.address,
      configuration: SessionConfiguration(storeFolder: bench.sandbox.directory + "/heal"))
    var mode = AudioMode(category: .playAndRecord)
    mode.preferredInput = [.name(source)]
    mode.inputPort = [.name(port)]
    try await session.setAudioMode(mode)
    let wish = mode
    let heal = try await Heal(bench)
    for change in Change.allCases {
      // Applies the mode again each time; otherwise so many changes would count as a conflict.
      let times = try await heal.times(change, count) { try await session.setAudioMode(wish) }
      row("a holding session", change, times)
    }
    await heal.outside.close()
    try await session.revert()
    await session.close()
  }

  private static func loop(
    _ name: String, _ bench: Bench, _ command: [String], _ count: Int
  ) async throws {
    let words = command + [source, port, Bench.laptop, profile]
    let task = Task { try await bench.sandbox.capture(words, timeout: .seconds(3600)) }
    defer { task.cancel() }
    let heal = try await Heal(bench)
    guard try await heal.hasHealer(task) else {
      let result = try? await task.value
      let reason = result?.standardError.split(separator: "\n").last.map(String.init)
      return print("  \(name): not measured (\(reason ?? "nobody puts it back"))")
    }
    for change in Change.allCases {
      row(name, change, try await heal.times(change, count) {})
    }
    await heal.outside.close()
  }

  private static func row(_ name: String, _ change: Change, _ times: [Duration]) {
    let timings = Timings(times)
    Benchmark.row("\(name), \(change.name)", timings, "p99 \(timings.worst(99))", width: 44)
  }

  private init(_ bench: Bench) async throws {
    self.bench = bench
    outside = try await bench.client()
    try await outside.subscribe(.all)
    events = await outside.events(bufferingNewest: 4096)
  }

  /// Each change begins in quiet, like a person's. One that follows another closely would be a
  /// burst, the end of which the session awaits.
  private func times(
    _ change: Change, _ count: Int, between: () async throws -> Void
  ) async throws -> [Duration] {
    var result: [Duration] = []
    var iterator = events.makeAsyncIterator()
    for _ in 0..<count {
      let start = ContinuousClock.now
      try await make(change)
      while try await !isBack(change) { _ = await iterator.next() }
      result.append(ContinuousClock.now - start)
      while try await !isAllBack { _ = await iterator.next() }
      try await between()
      try await ContinuousClock().sleep(for: .milliseconds(50))
    }
    return result
  }

  private func make(_ change: Change) async throws {
    switch change {
    case .defaultSource: try await outside.setDefaultSource(Bench.mic)
    case .port:
      try await outside.setPort(.input, device: Self.source, port: "analog-input-headset-mic")
    case .profile: try await outside.setCardProfile(Bench.laptop, "output:analog-stereo")
    }
  }

  private func isBack(_ change: Change) async throws -> Bool {
    switch change {
    case .defaultSource: try await outside.serverInfo().defaultSourceName == Self.source
    case .port: try await outside.source(named: Self.source)?.activePort == Self.port
    case .profile: try await outside.card(named: Bench.laptop)?.activeProfile == Self.profile
    }
  }

  private var isAllBack: Bool {
    get async throws {
      for change in Change.allCases {
        guard try await isBack(change) else { return false }
      }
      return true
    }
  }

  /// Waits until a loop restores a change: it takes a while until it listens.
  private func hasHealer(_ loop: Task<CommandResult, any Error>) async throws -> Bool {
    // Sets the expected values, then makes changes until one is restored.
    try await outside.setCardProfile(Bench.laptop, Self.profile)
    for _ in 0..<100 {
      try await outside.setPort(.input, device: Self.source, port: Self.port)
      try await outside.setDefaultSource(Self.source)
      try await make(.defaultSource)
      try await ContinuousClock().sleep(for: .milliseconds(50))
      if try await isAllBack { return true }
    }
    return false
  }

  /// A typical script: on each event, read the state and set it again.
  private static let shell = """
    source=$1 port=$2 card=$3 profile=$4
    pactl subscribe | while read -r line; do
      case $line in
        *"'change' on server"*)
          [ "$(pactl get-default-source)" = "$source" ] || pactl set-default-source "$source" ;;
        *"'change' on source "*) pactl set-source-port "$source" "$port" ;;
        *"'change' on card "*) pactl set-card-profile "$card" "$profile" ;;
      esac
    done
    """

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
