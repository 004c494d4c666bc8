import AudioSession
import POSIX
import Pulse
import PulseSandbox
import PulseTypes

/// A sandbox with a `watch` in it, and a client that looks on from outside.
struct Bench {
  static let mic = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
  static let micCard = "alsa_card.usb-Example_USB_Microphone-00"
  static let laptop = "alsa_card.pci-0000_00_1f.3"
  static let laptopMic = "alsa_input.pci-0000_00_1f.3.analog-stereo"

  /// A mode that needs every phase: profile, hints, device, port, chain, level.
  static let profile = """
    category = "record"
    sample-rate = 48000
    buffer-duration = "10 ms"
    [input]
    prefer = ["\(mic)", "default"]
    port = ["type:mic", "*"]
    channel-map = "swap"
    gain = "80 %"
    gain-lock = true
    """

  let sandbox: PulseSandbox
  let environment: [String: String]
  let profile: String

  /// Runs `body` with a private server that has simulated cards.
  static func with(
    _ kind: ServerKind = .pulseaudio, _ body: (Bench) async throws -> Void
  ) async throws {
    guard SandboxConfiguration.demo(on: kind).hasSimulatedCards else {
      throw Process.Failure(
        description: "this needs the simulated cards: run Tests/SimulatedCard/build")
    }
    try await PulseSandbox.with(.toneless(on: kind)) { sandbox in
      let environment = sandbox.environment.merging(Self.passedOn) { a, _ in a }
      let profile = sandbox.directory + "/bench.toml"
      try Process.write(Self.profile, to: profile)
      try await body(Bench(sandbox: sandbox, environment: environment, profile: profile))
    }
  }

  /// The environment of a `watch` besides the sandbox's variables: the search path, and the options
  /// of sanitizers and the C library's allocator.
  private static var passedOn: [String: String] {
    let names = ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "GLIBC_TUNABLES"]
    let values = names.compactMap { name in ProcessEnvironment[name].map { (name, $0) } }
    return Dictionary(uniqueKeysWithValues: values + [("PATH", "/usr/bin:/bin")])
  }

  /// Starts `watch` and waits until everything is applied.
  func watch() async throws -> Watcher {
    try await Watcher.watching(
      profile, environment, messages: sandbox.directory + "/watch.messages")
  }

  func client() async throws -> PulseClient {
    try await PulseClient.connect(to: sandbox.address, name: "bench")
  }

  /// Lists what differs from the profile, according to an outside client; empty if nothing does.
  func flaws(_ client: PulseClient) async throws -> [String] {
    // Without the modules: see `PulseClient.snapshot`.
    let now = try await client.snapshot(since: nil)
    var flaws: [String] = []
    let remaps = now.sources.filter { $0.name.hasPrefix("audiosession.") }
    if remaps.count != 1 { flaws.append("\(remaps.count) remaps") }
    if now.server.defaultSourceName != "audiosession.input" {
      flaws.append("the default source is \(now.server.defaultSourceName ?? "none")")
    }
    let mic = now.device(.input, named: Self.mic)
    // By its stream: the server moves it when its master vanishes, and does not update the property.
    let module = now.device(.input, named: "audiosession.input")?.ownerModule
    let link = now.sourceOutputs.first { $0.ownerModule == module && module != nil }
    if link?.device != mic?.index { flaws.append("the remap is not on the microphone") }
    if mic?.volume.values.contains(where: { abs($0.fraction - 0.8) > 0.01 }) ?? true {
      flaws.append("the gain is \(mic.map { "\($0.volume.values.map(\.fraction))" } ?? "none")")
    }
    // A pin for the rate may exist beside the one for the buffer.
    let pins = now.sourceOutputs.filter { $0.name.contains("pin") }
    let kinds = Set(
      pins.map { "\($0.name) on \(now.device(.input, at: $0.device)?.name ?? "none")" })
    if pins.isEmpty || kinds.count != pins.count
      || pins.contains(where: { $0.device != mic?.index })
    {
      flaws.append("the pins are \(kinds.sorted())")
    }
    return flaws
  }

  /// Waits until everything matches the profile; returns what still differs after `limit`.
  ///
  /// - Parameter others: flaws that the client does not see.
  func awaitNoFlaws(
    _ client: PulseClient, within limit: Duration, _ others: () async throws -> [String] = { [] }
  ) async throws -> [String] {
    let deadline = ContinuousClock.now + limit
    while true {
      var flaws = try await flaws(client)
      if flaws.isEmpty { flaws = try await others() }
      if flaws.isEmpty || ContinuousClock.now > deadline { return flaws }
      try await ContinuousClock().sleep(for: .milliseconds(1))
    }
  }
}

extension AudioSession {
  /// A session on a private server, with its store in the server's folder.
  init(in sandbox: PulseSandbox) {
    self.init(
      server: sandbox.address,
      configuration: SessionConfiguration(storeFolder: sandbox.directory + "/store"))
  }
}

extension SandboxConfiguration {
  /// The demo without the tones that the simulated cards make: they cost the server time that
  /// hardware does not.
  static func toneless(on kind: ServerKind = .pulseaudio) -> SandboxConfiguration {
    if kind == .pipewire,
      let cards = simulatedCards(["kind=laptop tone=no", "kind=usb-mic tone=no"], on: kind)
    {
      return cards
    }
    var configuration = demo(on: kind)
    configuration.modules = configuration.modules.map {
      $0.contains("simulated-card") ? $0 + " tone=no" : $0
    }
    return configuration
  }
}
