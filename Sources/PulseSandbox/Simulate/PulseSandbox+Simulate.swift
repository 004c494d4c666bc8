internal import Pulse
internal import PulseTypes

/// Changes of the hardware by its user, and of the server by the system.
extension PulseSandbox {
  /// Unplugs a jack, or removes a device.
  ///
  /// A *port* of a simulated card (`analog-output-headphones`) becomes unavailable, as when its
  /// plug is pulled. A *card* or a *device*, even one that a client made, is removed together with
  /// everything that its module made, as when a USB device is unplugged. The change lasts until
  /// ``plug(_:)`` or until the server restarts.
  ///
  /// - Parameter name: A port (`CARD/PORT` if several cards have a port of that name), a card, a
  ///   sink or a source. Has no effect on one that is unplugged already.
  /// - Throws: `noSuchDevice`, `refused`, `notRunning`, `closed`, `timedOut`.
  public func unplug(_ name: String) async throws(SandboxError) {
    let (server, all) = try await hardwareProcesses()
    guard !otherSide.unplugged(from: all).contains(where: { $0.names.contains(name) }) else {
      return
    }
    try await withClient { [self] client throws(SandboxError) in
      let snapshot = try await client.look()
      if let (card, port) = try snapshot.jack(name) {
        return try await setJack(client, card, port, isPlugged: false)
      }
      if !configuration.cards.isEmpty, let (card, names) = snapshot.card(behind: name) {
        try await tell(card, "remove", "")
        otherSide.add(OtherSide.Unplugged(server: all[0], names: names, origin: .card(card)))
        return try await wait(client) { $0.names.isDisjoint(with: names) }
      }
      guard let module = snapshot.module(behind: name) else { throw snapshot.nothing(named: name) }
      let names = snapshot.names(from: module)
      try await sandboxed { () throws(PulseError) in
        try await client.unloadModule(module.index)
      }
      otherSide.add(
        OtherSide.Unplugged(
          server: server, names: names,
          origin: .module(name: module.name, argument: module.argument)))
    }
  }

  /// Plugs in what ``unplug(_:)`` removed: a jack of a simulated card, or a device, which returns
  /// under its old name with the settings of the server's start.
  ///
  /// - Parameter name: As for ``unplug(_:)``. A jack may also be one that was never plugged in. Has
  ///   no effect on one that is plugged in already.
  /// - Throws: `noSuchDevice`, `refused`, `notRunning`, `closed`, `timedOut`.
  public func plug(_ name: String) async throws(SandboxError) {
    let unplugged = otherSide.unplugged(from: try await hardwareProcesses().all)
    guard let device = unplugged.first(where: { $0.names.contains(name) }) else {
      return try await withClient { [self] client throws(SandboxError) in
        let snapshot = try await client.look()
        if let (card, port) = try snapshot.jack(name) {
          return try await setJack(client, card, port, isPlugged: true)
        }
        guard snapshot.module(behind: name) != nil || snapshot.card(behind: name) != nil else {
          throw snapshot.nothing(named: name, beside: unplugged.flatMap(\.names))
        }
      }
    }
    switch device.origin {
    case .card(let card):
      try await tell(card, "insert", "")
      otherSide.remove(device)
      try await withClient { [self] client throws(SandboxError) in
        try await wait(client) { $0.names.contains(card) && $0.missingDevice == nil }
      }
    case .module(let name, let argument) where configuration.server == .pipewire:
      try await withClient { [self] client throws(SandboxError) in
        try await sandboxed { () throws(PulseError) in
          _ = try await client.loadModule(name, argument)
        }
        otherSide.remove(device)
        try await wait(client) { $0.names.isSuperset(of: device.names) }
      }
    case .module(let name, let argument):
      // The server's own commands for the device are part of it.
      let commands = configuration.commands.filter { line in
        line.split(separator: " ").contains { device.names.contains(String($0)) }
      }
      try await runCommands(["load-module \(name) \(argument)"] + commands)
      otherSide.remove(device)
    }
  }

  /// The process that has the modules, and all that have devices, cards first: the restart of one plugs
  /// in what was its.
  private func hardwareProcesses() async throws(SandboxError) -> (server: Int32, all: [Int32]) {
    let server = try await runningProcess()
    guard !configuration.cards.isEmpty else { return (server, [server]) }
    return (server, [try await runningProcess(.simulatedCards), server])
  }

  private func setJack(
    _ client: PulseClient, _ card: String, _ port: String, isPlugged: Bool
  ) async throws(SandboxError) {
    try await tell(card, isPlugged ? "plug" : "unplug", port)
    // PulseAudio answers after the change.
    guard !configuration.cards.isEmpty else { return }
    try await wait(client) { snapshot in
      let ports = snapshot.cards.first { $0.name == card }?.ports ?? []
      return ports.contains { $0.name == port && $0.availability == (isPlugged ? .yes : .no) }
    }
  }

  /// Waits until clients of the server see the change.
  private func wait(
    _ client: PulseClient, until condition: (ServerSnapshot) -> Bool
  ) async throws(SandboxError) {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
      let snapshot = try await client.look()
      if condition(snapshot) { return }
      try? await ContinuousClock().sleep(for: .milliseconds(2))
    }
    throw SandboxError(.timedOut, "the server did not see it in time")
  }

  /// Suspends a device, even one in use: its streams stop until ``resume(_:)``.
  ///
  /// - Parameter name: A sink, or a source that is not a monitor.
  /// - Throws: `noSuchDevice`, `refused`, `notRunning`, `closed`, `timedOut`.
  public func suspend(_ name: String) async throws(SandboxError) {
    try await setSuspended(name, true)
  }

  /// Resumes a suspended device. (The server may suspend it again when it is idle.)
  ///
  /// - Throws: Like ``suspend(_:)``.
  public func resume(_ name: String) async throws(SandboxError) {
    try await setSuspended(name, false)
  }

  private func setSuspended(_ name: String, _ isSuspended: Bool) async throws(SandboxError) {
    try await withClient { client throws(SandboxError) in
      let device = try await client.look().find(name)
      try await sandboxed { () throws(PulseError) in
        try await client.suspend(device.direction, device: name, isSuspended)
      }
    }
  }

  /// Lets the server crash and restarts it, like Apple's developer switch *Reset Media Services*:
  /// ``kill(_:)``, then ``restart(_:timeout:)``.
  ///
  /// - Parameter timeout: How long the start may take.
  /// - Throws: Like ``restart(_:timeout:)``.
  public func resetMediaServices(timeout: Duration = .seconds(30)) async throws(SandboxError) {
    // A server that has ended already only needs the start.
    try? await kill()
    try await restart(timeout: timeout)
  }
}
