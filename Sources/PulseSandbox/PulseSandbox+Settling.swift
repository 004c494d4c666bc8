internal import Pulse
internal import PulseTypes

/// pipewire-pulse answers before its devices are there and before WirePlumber has chosen defaults;
/// PulseAudio's socket is its last module, and nothing is left to wait for but what it has to say of
/// commands.
extension PulseSandbox {
  /// Waits until the devices of the configuration are there and among them the defaults.
  ///
  /// - Throws: `configuration` for a line that failed, `timedOut` with the end of the log.
  func settle(until deadline: ContinuousClock.Instant) async throws(SandboxError) {
    guard configuration.server == .pipewire || !configuration.commands.isEmpty else { return }
    let isSettled: Bool
    do throws(PulseError) {
      let client = try await connect(until: deadline)
      // pipewire-pulse opens its socket, then runs its lines, then answers. PulseAudio opens it, then
      // logs what failed, then answers.
      let hasFailed = ServerLog(path: folder.log).failure(in: configuration) != nil
      if configuration.server == .pipewire {
        let hasDevices = hasFailed ? false : try await settle(client, until: deadline)
        isSettled = hasDevices ? await hasChosenDefaults(until: deadline) : false
      } else {
        isSettled = !hasFailed
      }
      await client.close()
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

  /// Connects; under load pipewire-pulse may leave its first client without an answer, so not at once
  /// for good.
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

  /// Waits until WirePlumber has written down its choice: pipewire-pulse names a default before, and a
  /// default that is set until then is lost.
  private func hasChosenDefaults(until deadline: ContinuousClock.Instant) async -> Bool {
    let hasInputs = configuration.devices.contains { $0.direction == .input }
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

  private func settle(
    _ client: PulseClient, until deadline: ContinuousClock.Instant
  ) async throws(PulseError) -> Bool {
    try await client.subscribe(.all)
    let events = await client.events()
    // The events end with the connection: so a server that goes silent ends the wait, too.
    let alarm = Task {
      try await ContinuousClock().sleep(until: deadline)
      await client.close()
    }
    defer { alarm.cancel() }
    if try await hasSettled(client) { return true }
    for await _ in events {
      guard await client.isConnected else { return false }
      if try await hasSettled(client) { return true }
    }
    return false
  }

  /// With no sink of its own PipeWire invents one; with no source it has no default source.
  private func hasSettled(_ client: PulseClient) async throws(PulseError) -> Bool {
    let snapshot = try await client.snapshot()
    guard snapshot.clients.contains(where: { $0.properties["wireplumber.daemon"] != nil }) else {
      return false
    }
    return Direction.allCases.allSatisfy { direction in
      let names = configuration.devices.filter { $0.direction == direction }.map(\.name)
      let there = Set(snapshot.devices(direction).map(\.name))
      guard !names.isEmpty || direction == .output else { return true }
      guard let chosen = snapshot.server.defaultName(direction), there.contains(chosen) else {
        return false
      }
      // Before the devices are known a dummy is the default, or a monitor.
      let isOwn = names.isEmpty || names.contains(chosen) || !configuration.modules.isEmpty
      return there.isSuperset(of: names) && isOwn
    }
  }
}
