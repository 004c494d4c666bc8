import AudioSession
import Pulse
import PulseSandbox
import PulseTypes

/// Measures how long a setting that another program changed stays changed: a holding session beside
/// bare libpulse, a loop on pulsectl and one on `pactl subscribe`, in the same run.
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

  private let bench: Bench
  private let bare: Bare
  /// The medians, in the order of `Change`, by who put it back.
  private var medians: [String: [Duration]] = [:]

  static func run(_ count: Int) async throws {
    for kind in [ServerKind.pulseaudio, .pipewire] where ServerProgram.isInstalled(kind) {
      try await Bench.with(kind) { try await run(max(1, count / Change.allCases.count), $0, kind) }
    }
  }

  private static func run(_ each: Int, _ bench: Bench, _ kind: ServerKind) async throws {
    let place = kind == .pipewire ? "on PipeWire, " : ""
    print(
      "\(place)a foreign change put back, \(each) times each, from the change to an outsider's "
        + "reading")
    var heal = Heal(bench: bench, bare: try Bare(in: bench.sandbox))
    let names = (session: "a holding session", floor: "bare libpulse", peer: "pulsectl in Python")
    try await heal.session(names.session, each)
    try await heal.loop(names.floor, [heal.bare.path, "heal"], each)
    try await heal.loop(names.peer, ["/usr/bin/python3", "-c", python], each)
    try await heal.loop("pactl subscribe in a shell", ["/bin/sh", "-c", shell, "sh"], each)
    for (name, rival) in [("pulsectl", names.peer), ("bare libpulse", names.floor)] {
      guard let own = heal.medians[names.session], let theirs = heal.medians[rival] else {
        continue
      }
      for (change, (a, b)) in zip(Change.allCases, zip(own, theirs)) {
        Ratios.note("\(place)a \(change.rawValue) put back, of \(name)'s", a.seconds / b.seconds)
      }
    }
  }

  private mutating func session(_ name: String, _ count: Int) async throws {
    let session = AudioSession(in: bench.sandbox)
    var mode = AudioMode(category: .playAndRecord)
    mode.preferredInput = [.name(Self.source)]
    mode.inputPort = [.name(Self.port)]
    try await session.setAudioMode(mode)
    let profile = mode
    // Applies the mode again each time; otherwise so many changes would count as a conflict.
    try await rows(name, count) { try await session.setAudioMode(profile) }
    try await session.revert()
    await session.close()
  }

  private mutating func loop(_ name: String, _ command: [String], _ count: Int) async throws {
    let words = command + [Self.source, Self.port, Bench.laptop, Self.profile]
    let task = Task { [sandbox = bench.sandbox] in
      try await sandbox.capture(words, timeout: .seconds(3600))
    }
    defer { task.cancel() }
    guard try await hasHealer() else {
      task.cancel()
      let result = try? await task.value
      let reason = result?.standardError.split(separator: "\n").last.map(String.init)
      return print("  \(name): not measured (\(reason ?? "no change is put back"))")
    }
    do {
      try await rows(name, count) {}
    } catch {
      medians[name] = nil
      print("  \(name): gave up (\(error))")
    }
  }

  /// Each change begins in quiet, like a person's. One that follows another closely would be a
  /// burst, the end of which the session awaits.
  private mutating func rows(
    _ name: String, _ count: Int, between: () async throws -> Void
  ) async throws {
    let outsider = try bare.outsider(
      [
        Self.source, Bench.mic, Self.port, "analog-input-headset-mic", Bench.laptop, Self.profile,
        "output:analog-stereo",
      ], bench.environment)
    defer { outsider.end() }
    for change in Change.allCases {
      var times: [Duration] = []
      for _ in 0..<count {
        times.append(try await outsider.change(change))
        try await between()
        try await ContinuousClock().sleep(for: .milliseconds(50))
      }
      let timings = Timings(times)
      medians[name, default: []].append(timings.median)
      Benchmark.row("\(name), \(change.rawValue)", timings, "p99 \(timings.worst(99))", width: 44)
    }
  }

  /// Waits until a loop restores a change: it takes a while until it listens.
  private func hasHealer() async throws -> Bool {
    let outside = try await bench.client()
    // Sets the expected values, then makes changes until one is restored.
    try await outside.setCardProfile(Bench.laptop, Self.profile)
    try await outside.setPort(.input, device: Self.source, port: Self.port)
    var isBack = false
    for _ in 0..<100 where !isBack {
      try await outside.setDefaultSource(Self.source)
      try await outside.setDefaultSource(Bench.mic)
      try await ContinuousClock().sleep(for: .milliseconds(50))
      isBack = try await outside.serverInfo().defaultSourceName == Self.source
    }
    await outside.close()
    return isBack
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
