internal import Pulse
internal import PulseTypes

/// Waiting until a server is complete. pipewire-pulse answers before its devices exist and before
/// WirePlumber has chosen the defaults. PulseAudio loads its socket as the last module, so only the
/// errors of its commands remain to be awaited.
extension PulseSandbox {
  /// Waits until the devices of the configuration exist and the defaults are among them.
  ///
  /// - Throws: `configuration` for a line that failed, `timedOut` with the end of the log.
  func settle(until deadline: ContinuousClock.Instant) async throws(SandboxError) {
    guard configuration.server == .pipewire || !configuration.commands.isEmpty else { return }
    let isSettled: Bool
    do throws(PulseError) {
      isSettled = try await hasSettled(until: deadline)
    } catch {
      throw SandboxError(
        error.code == .timedOut ? .timedOut : .serverDied,
        "the server did not answer: \(error)\n\(ServerLog(path: folder.log).tail)")
    }
    guard !isSettled else { return }
    let log = ServerLog(path: folder.log)
    throw log.failure(in: configuration)
      ?? SandboxError(
        .timedOut, "the server has not all of its devices, or no defaults, in time:\n\(log.tail)")
  }

  private func hasSettled(until deadline: ContinuousClock.Instant) async throws(PulseError) -> Bool
  {
    while true {
      let client = try await connect(until: deadline)
      do throws(PulseError) {
        let isSettled = try await hasSettled(client, until: deadline)
        await client.close()
        return isSettled
      } catch {
        await client.close()
        // A connection to pipewire-pulse may stop answering after a restart of WirePlumber.
        let left = ContinuousClock.now.duration(to: deadline)
        guard error.code == .timedOut, left > .seconds(2) else { throw error }
      }
    }
  }

  private func hasSettled(
    _ client: PulseClient, until deadline: ContinuousClock.Instant
  ) async throws(PulseError) -> Bool {
    // pipewire-pulse opens its socket, runs its lines, then answers. PulseAudio opens its socket,
    // logs the lines that failed, then answers.
    guard ServerLog(path: folder.log).failure(in: configuration) == nil else { return false }
    guard configuration.server == .pipewire else { return true }
    var pause = Duration.milliseconds(1)
    while ContinuousClock.now < deadline {
      if let devices = try await settled(client) {
        return await hasChosenDefaults(devices, until: deadline)
      }
      // Polls: a route that is chosen again without a change makes no event.
      try? await ContinuousClock().sleep(for: pause)
      pause = min(pause * 2, .milliseconds(10))
    }
    return false
  }

  /// Connects, repeatedly if needed: under load pipewire-pulse may never answer its first client.
  private func connect(until deadline: ContinuousClock.Instant) async throws(PulseError)
    -> PulseClient
  {
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      do throws(PulseError) {
        return try await PulseClient.connect(
          to: address, name: "sandbox", timeout: min(left, .seconds(2)))
      } catch {
        guard error.code == .timedOut, left > .seconds(2) else { throw error }
      }
    }
  }

  /// Waits until WirePlumber has stored its choice: pipewire-pulse names a default earlier, and
  /// loses a default that a client sets before.
  private func hasChosenDefaults(
    _ devices: ServerSnapshot, until deadline: ContinuousClock.Instant
  ) async -> Bool {
    let hasInputs = devices.hardware.contains { $0.direction == .input }
    let keys = ["default.audio.sink"] + (hasInputs ? ["default.audio.source"] : [])
    let command = ServerProgram.entrance + ["/usr/bin/pw-metadata", "0"]
    var pause = Duration.milliseconds(1)
    while ContinuousClock.now < deadline {
      let left = ContinuousClock.now.duration(to: deadline)
      let result = try? await capture(command, timeout: min(left, .seconds(1)))
      let text = result?.standardOutput ?? ""
      if keys.allSatisfy({ text.contains("'\($0)'") }) { return true }
      try? await ContinuousClock().sleep(for: pause)
      pause = min(pause * 2, .milliseconds(50))
    }
    return false
  }

  /// The snapshot once the devices are complete. Without a sink PipeWire creates a dummy; without a
  /// source it has no default source.
  private func settled(_ client: PulseClient) async throws(PulseError) -> ServerSnapshot? {
    let snapshot = try await client.snapshot(timeout: .seconds(2))
    guard snapshot.clients.contains(where: { $0.properties["wireplumber.daemon"] != nil }),
      snapshot.hasAllDevicesOfCards
    else { return nil }
    guard await areCardsSettled(snapshot) else { return nil }
    return hasDefaults(snapshot) ? snapshot : nil
  }

  /// Waits until the session manager has chosen a profile for each simulated card, and ports and
  /// volumes for their devices, and clients see them: it chooses again after each plug and each
  /// change of a profile. PulseAudio has finished when it answers.
  ///
  /// - Throws: `timedOut`, `notRunning`, `closed`.
  package func settleCards(timeout: Duration = .seconds(20)) async throws(SandboxError) {
    guard !configuration.cards.isEmpty else { return }
    try await withClient { client throws(SandboxError) in
      let deadline = ContinuousClock.now + timeout
      while ContinuousClock.now < deadline {
        let snapshot = try await client.sandboxed { client throws(PulseError) in
          try await client.snapshot(since: nil)
        }
        if snapshot.hasAllDevicesOfCards, await areCardsSettled(snapshot) { return }
        try? await ContinuousClock().sleep(for: .milliseconds(5))
      }
      throw SandboxError(.timedOut, "the simulated cards have not settled in time")
    }
  }

  /// Whether a snapshot shows the state that was set on the simulated cards.
  private func areCardsSettled(_ snapshot: ServerSnapshot) async -> Bool {
    guard !configuration.cards.isEmpty else { return true }
    guard let words = try? await askCards("settled").split(separator: " "), words.first == "ok",
      words.dropFirst().first == "\(snapshot.cards.count)"
    else { return false }
    return words.dropFirst(2).allSatisfy { word in
      let parts = word.split(separator: "=").map(String.init)
      guard parts.count == 3, let percent = Double(parts[2]),
        let device = snapshot.hardware.first(where: { $0.name == parts[0] }),
        let volume = device.volume.values.first
      else { return false }
      return device.activePort == parts[1] && abs(volume.fraction * 100 - percent) < 1
    }
  }

  private func hasDefaults(_ snapshot: ServerSnapshot) -> Bool {
    Direction.allCases.allSatisfy { direction in
      let cardless = configuration.devices.filter { $0.direction == direction }.map(\.name)
      let onCards = snapshot.hardware.filter { $0.direction == direction && $0.card != nil }
      let names = cardless + onCards.map(\.name)
      let there = snapshot.devices(direction)
      guard !names.isEmpty || direction == .output else { return true }
      let name = snapshot.server.defaultName(direction)
      guard let chosen = there.first(where: { $0.name == name }) else { return false }
      // Before the devices are known the default is a dummy or a monitor. After a restart it may be
      // the device of a client that was faster.
      let isChosen = names.isEmpty || !(chosen.isMonitor || chosen.name == "auto_null")
      return Set(there.map(\.name)).isSuperset(of: names) && isChosen
    }
  }
}
