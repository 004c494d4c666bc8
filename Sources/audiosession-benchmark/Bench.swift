import AudioSession
import POSIX
import Pulse
import PulseSandbox
import PulseTypes

/// A sandbox for a `watch`, which is looked at from outside.
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
      let profile = sandbox.directory + "/bench.toml"
      try Process.write(Self.profile, to: profile)
      try await body(
        Bench(sandbox: sandbox, environment: sandbox.programEnvironment, profile: profile))
    }
  }

  /// Runs `body` beside a `watch` that has applied the profile, and ends that.
  ///
  /// - Parameter body: makes the events, prints the figures, and returns what is wrong.
  static func holding(
    _ kind: ServerKind = .pulseaudio, _ body: (Bench, Watcher) async throws -> [String]
  ) async throws {
    try await with(kind) { bench in
      let watcher = try await Watcher.watching(bench.profile, in: bench.sandbox)
      var faults = try await body(bench, watcher)
      let status = watcher.end()
      if status != 143 { faults.append("watch ended with \(status)") }
      guard faults.isEmpty else {
        throw Process.Failure(
          description: "\(faults.joined(separator: "; ")); its last events:\n\(watcher.tail(20))")
      }
    }
  }

  func client() async throws -> PulseClient {
    try await PulseClient.connect(to: sandbox.address, name: "bench")
  }

  /// Waits until nothing differs from the profile; returns what still does after `limit`.
  func awaitNoFlaws(within limit: Duration) async throws -> [String] {
    let deadline = ContinuousClock.now + limit
    while true {
      let flaws = try await flaws()
      if flaws.isEmpty || ContinuousClock.now > deadline { return flaws }
      try await ContinuousClock().sleep(for: .milliseconds(20))
    }
  }
}

extension PulseSandbox {
  /// The environment of a program: besides the sandbox's variables the search path, and the options
  /// of sanitizers and the C library's allocator.
  var programEnvironment: [String: String] {
    let names = ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "GLIBC_TUNABLES"]
    let values = names.compactMap { name in ProcessEnvironment[name].map { (name, $0) } }
    let others = Dictionary(uniqueKeysWithValues: values + [("PATH", "/usr/bin:/bin")])
    return environment.merging(others) { own, _ in own }
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
