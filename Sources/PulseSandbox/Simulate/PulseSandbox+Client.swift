internal import Glibc
internal import POSIX
internal import Pulse
internal import PulseTypes

extension PulseSandbox {
  /// The property of a client that only reads, so that no session takes it for a rival.
  static let observer = ["application.id": "org.audiosession.sandbox"]

  /// Runs `body` with a client of the server.
  func withClient<Result: Sendable>(
    _ properties: [String: String] = [:],
    _ body: @escaping @Sendable (PulseClient) async throws(SandboxError) -> Result
  ) async throws(SandboxError) -> Result {
    do throws(SandboxError) {
      _ = try await runningProcess()
      return try await Self.shielding { [folder] () throws(SandboxError) in
        let client = try await sandboxed { () throws(PulseError) in
          // This socket trusts its user without a cookie.
          try await PulseClient.connect(
            to: "unix:\(folder.socket)", name: "sandbox", properties: properties)
        }
        let result = await outcome { () async throws(SandboxError) in try await body(client) }
        await client.close()
        return try result.get()
      }
    } catch {
      // Its server ends before it is closed.
      throw otherSide.hasEnded ? Self.closedError : error
    }
  }

  /// The sink or source with a name.
  func find(_ name: String, _ direction: Direction? = nil) async throws(SandboxError) -> Device {
    try await withClient { client throws(SandboxError) in
      try await client.look().find(name, direction)
    }
  }

  /// Runs lines of the server's command language, one after the other.
  ///
  /// The native protocol can only load modules, so a socket for the command language is opened in
  /// the meantime.
  func runCommands(_ lines: [String]) async throws(SandboxError) {
    // Each call has its own.
    let path = folder.path + "/cli" + String(UInt32.random(in: 0...(.max)), radix: 36)
    try await withClient { client throws(SandboxError) in
      let door = try await sandboxed { () throws(PulseError) in
        try await client.loadModule("module-cli-protocol-unix", "socket=\(path)")
      }
      let result = await outcome { () async throws(SandboxError) in
        try await onOwnThread { () throws(SandboxError) in
          try ServerCommands(path: path).run(lines, until: .now + Self.patience)
        }
      }
      try await sandboxed { () throws(PulseError) in
        try await client.unloadModule(door)
      }
      try result.get()
    }
  }
}

extension PulseSandbox {
  /// Operates a simulated card like its user, in the words of `Tests/SimulatedCard/README.md`.
  ///
  /// - Throws: `noSuchDevice`, `refused`, `notRunning`, `closed`, `timedOut`.
  package func tell(
    _ card: String, _ message: String, _ parameter: String
  ) async throws(SandboxError) {
    guard configuration.cards.isEmpty else {
      let answer = try await askCards(
        "\(card) \(message) \(parameter)", until: .now + Self.patience)
      guard answer != "ok" else { return }
      throw SandboxError(
        answer.hasPrefix("no such") ? .noSuchDevice : .refused,
        "the simulated card '\(card)' answers '\(message) \(parameter)' with: \(answer)")
    }
    try await withClient { client throws(SandboxError) in
      try await sandboxed { () throws(PulseError) in
        // The parameters are JSON.
        _ = try await client.sendMessage(to: "/card/\(card)/sim", message, "\"\(parameter)\"")
      }
    }
  }

  /// The answer of PipeWire's simulated cards to a line.
  func askCards(
    _ line: String, until deadline: ContinuousClock.Instant
  ) async throws(SandboxError) -> String {
    try await onOwnThread { [folder] () throws(SandboxError) in
      let connection = try connectedSocket(folder.cards, SOCK_STREAM)
      connection.send("\(line)\n".utf8)
      return try connection.text(
        until: deadline,
        late: SandboxError(.timedOut, "the simulated cards did not answer in time"),
        ended: SandboxError(.notRunning, "the simulated cards have ended"))
    }
  }
}

/// Runs requests and converts their errors.
func sandboxed<Result>(
  _ body: () async throws(PulseError) -> Result
) async throws(SandboxError) -> Result {
  do throws(PulseError) { return try await body() } catch { throw SandboxError(error) }
}

extension PulseClient {
  /// Everything that the server has.
  nonisolated func look() async throws(SandboxError) -> ServerSnapshot {
    try await sandboxed { () throws(PulseError) in try await snapshot() }
  }
}

extension ServerSnapshot {
  /// Sinks, and sources that are no monitors.
  var hardware: [Device] { sinks + sources.filter { !$0.isMonitor } }

  /// The sink or source with a name.
  func find(_ name: String, _ direction: Direction? = nil) throws(SandboxError) -> Device {
    let devices = hardware.filter { direction == nil || $0.direction == direction }
    guard let device = devices.first(where: { $0.name == name }) else {
      throw SandboxError(noSuch: "device", name, has: devices.map(\.name))
    }
    return device
  }

  private var jacks: [(card: String, port: String)] {
    // A sandbox's PipeWire has no other cards.
    cards.filter { $0.driver == "module-simulated-card.c" || server.kind == .pipewire }
      .flatMap { card in card.ports.map { (card.name, $0.name) } }
  }

  /// The jack of a simulated card that `PORT` or `CARD/PORT` names.
  func jack(_ name: String) throws(SandboxError) -> (card: String, port: String)? {
    let matches = jacks.filter { $0.port == name || "\($0.card)/\($0.port)" == name }
    guard matches.count < 2 else {
      throw SandboxError(
        .noSuchDevice, "several cards have a port '\(name)'",
        remedy: "name one: " + matches.map { "\($0.card)/\($0.port)" }.joined(separator: ", "))
    }
    return matches.first
  }

  /// Which card has not the devices of its profile.
  var missingDevice: String? {
    for card in cards {
      let devices = hardware.filter { $0.card == card.index }
      guard let profile = card.profiles.first(where: { $0.name == card.activeProfile }) else {
        return "\(card.name) has \(card.profiles.count) profiles and none of them is active"
      }
      guard
        devices.count(where: { $0.direction == .output }) == profile.sinkCount,
        devices.count(where: { $0.direction == .input }) == profile.sourceCount
      else { return "\(card.name) in \(profile.name) has only \(devices.map(\.name))" }
    }
    return nil
  }

  /// The card with a name, or the card of the device with that name, and the names of everything
  /// that is removed with it.
  func card(behind name: String) -> (card: String, names: Set<String>)? {
    let device = hardware.first { $0.name == name }
    guard let card = cards.first(where: { $0.name == name || $0.index == device?.card }) else {
      return nil
    }
    return (card.name, Set([card.name] + hardware.filter { $0.card == card.index }.map(\.name)))
  }

  /// The module that made a card, a sink or a source.
  func module(behind name: String) -> Module? {
    let owner =
      cards.first { $0.name == name }?.ownerModule
      ?? hardware.first { $0.name == name }?.ownerModule
    return modules.first { $0.index == owner }
  }

  /// The names of all cards and devices.
  var names: Set<String> { Set(cards.map(\.name) + hardware.map(\.name)) }

  /// The card and the devices that a module made.
  func names(from module: Module) -> Set<String> {
    Set(
      cards.filter { $0.ownerModule == module.index }.map(\.name)
        + hardware.filter { $0.ownerModule == module.index }.map(\.name))
  }

  /// An error that lists what exists; `others` are names that are missing at the moment.
  func nothing(named name: String, beside others: [String] = []) -> SandboxError {
    let names = cards.map(\.name) + hardware.map(\.name) + others.sorted() + jacks.map(\.port)
    guard !hardware.contains(where: { $0.name == name }) else {
      return SandboxError(
        .noSuchDevice, "'\(name)' is a null device that this server cannot remove",
        remedy: "Tests/SimulatedCard/build of the sources builds cards that can be unplugged")
    }
    return SandboxError(noSuch: "port, card or device", name, has: names)
  }
}

extension SandboxError {
  /// Converts the error of a request that the sandbox itself made.
  init(_ error: PulseError) {
    let code: Code =
      switch error.code {
      case .connectionRefused, .disconnected: .notRunning
      case .timedOut: .timedOut
      case .noSuchEntity: .noSuchDevice
      default: .refused
      }
    self.init(code, error.description)
  }
}
