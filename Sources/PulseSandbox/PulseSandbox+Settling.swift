internal import Pulse
package import PulseTypes

/// Waiting until a server is complete. pipewire-pulse answers before its devices exist and before
/// WirePlumber has chosen the defaults. PulseAudio loads its socket as the last module, so only the
/// errors of its commands remain to be awaited.
extension PulseSandbox {
  /// Waits until the devices of the configuration exist and the defaults are among them.
  ///
  /// - Throws: `configuration` for a line that failed, `timedOut` with the end of the log.
  func settle(until deadline: ContinuousClock.Instant) async throws(SandboxError) {
    guard configuration.server == .pipewire || !configuration.commands.isEmpty else { return }
    let missing: String?
    do throws(PulseError) {
      missing = try await awaitSettled(until: deadline)
    } catch {
      throw SandboxError(
        error.code == .timedOut ? .timedOut : .serverDied,
        "the server did not answer: \(error)\n\(ServerLog(path: folder.log).tail)")
    }
    guard let missing else { return }
    let log = logOfStart
    throw log.failure(in: configuration)
      ?? SandboxError(.timedOut, "the server is not complete in time: \(missing)\n\(log.tail)")
  }

  /// How long one connection is asked: PipeWire may stop reporting the defaults to it, while it answers
  /// a new one (see `DefaultsCheck`).
  private static var longestConnection: Duration { .seconds(3) }

  /// What is still missing at the deadline; nil once the server is complete.
  private func awaitSettled(
    until deadline: ContinuousClock.Instant
  ) async throws(PulseError) -> String? {
    while true {
      let client = try await connect(until: deadline)
      do throws(PulseError) {
        let missing = try await awaitSettled(
          client, until: min(deadline, .now + Self.longestConnection), deadline)
        await client.close()
        guard missing != nil, .now < deadline, configuration.server == .pipewire,
          logOfStart.failure(in: configuration) == nil
        else { return missing }
      } catch {
        await client.close()
        // A connection to pipewire-pulse may stop answering after a restart of WirePlumber.
        let left = ContinuousClock.now.duration(to: deadline)
        guard error.code == .timedOut, left > .seconds(2) else { throw error }
      }
    }
  }

  /// - Parameter end: until when this connection is asked, but once at least.
  func awaitSettled(
    _ client: PulseClient, until end: ContinuousClock.Instant, _ deadline: ContinuousClock.Instant
  ) async throws(PulseError) -> String? {
    // pipewire-pulse opens its socket, runs its lines, then answers. PulseAudio opens its socket,
    // logs the lines that failed, then answers.
    guard logOfStart.failure(in: configuration) == nil else {
      return "a line of its configuration failed"
    }
    guard configuration.server == .pipewire else { return nil }
    var pauses = Pauses(upTo: .milliseconds(10))
    var missing: String?
    var nextAnnouncement = ContinuousClock.now + .seconds(1)
    // On a busy machine the time may be over before the first answer; that nothing is missing is a verdict.
    repeat {
      let snapshot = try await client.snapshot(timeout: .seconds(2))
      missing = await whatIsMissing(snapshot, until: deadline)
      if missing != nil, ContinuousClock.now > nextAnnouncement {
        nextAnnouncement = .now + .seconds(1)
        await announceProfiles(snapshot, until: deadline)
      }
      guard missing != nil else {
        return await hasChosenDefaults(snapshot, until: deadline)
          ? nil : "WirePlumber has not stored the defaults"
      }
      // Polls: a route that is chosen again without a change makes no event.
      try? await ContinuousClock().sleep(for: pauses.next())
    } while ContinuousClock.now < end
    return missing
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
    var pauses = Pauses(upTo: .milliseconds(50))
    while ContinuousClock.now < deadline, !Task.isCancelled {
      let left = ContinuousClock.now.duration(to: deadline)
      let result = try? await capture(command, timeout: min(left, .seconds(1)))
      let text = result?.standardOutput ?? ""
      if keys.allSatisfy({ text.contains("'\($0)'") }) { return true }
      try? await ContinuousClock().sleep(for: pauses.next())
    }
    return false
  }

  /// What a snapshot lacks until the devices are complete. Without a sink PipeWire creates a dummy;
  /// without a source it has no default source.
  private func whatIsMissing(
    _ snapshot: ServerSnapshot, until deadline: ContinuousClock.Instant
  ) async -> String? {
    guard snapshot.clients.contains(where: { $0.properties["wireplumber.daemon"] != nil }) else {
      return "WirePlumber is not connected"
    }
    return await whatCardsLack(snapshot, until: deadline) ?? missingDefault(snapshot)
  }

  /// Lets each simulated card without profiles say that they have changed. PipeWire 0.3.65 sometimes
  /// remembers an empty list of a card that it asked while it was started again.
  private func announceProfiles(
    _ snapshot: ServerSnapshot, until deadline: ContinuousClock.Instant
  ) async {
    guard !configuration.cards.isEmpty else { return }
    for card in snapshot.cards where card.profiles.isEmpty {
      _ = try? await askCards("\(card.name) announce", until: deadline)
    }
  }

  /// What a snapshot does not show yet of the cards' profiles, and of the state that was set on the
  /// simulated cards.
  package func whatCardsLack(
    _ snapshot: ServerSnapshot, until deadline: ContinuousClock.Instant
  ) async -> String? {
    if let lack = snapshot.missingDevice { return lack }
    guard !configuration.cards.isEmpty else { return nil }
    let answer = (try? await askCards("settled", until: deadline)) ?? ""
    let words = answer.split(separator: " ")
    guard words.first == "ok", words.dropFirst().first == "\(snapshot.cards.count)" else {
      return "of \(snapshot.cards.count) cards the simulated ones say \"\(answer)\""
    }
    return words.dropFirst(2).compactMap { lack($0, in: snapshot) }.first
  }

  /// What a device shows that is not as its card says: `NAME=PORT=PERCENT`.
  private func lack(_ word: Substring, in snapshot: ServerSnapshot) -> String? {
    let parts = word.split(separator: "=").map(String.init)
    guard parts.count == 3, let percent = Double(parts[2]) else { return "not read: \(word)" }
    guard let device = snapshot.hardware.first(where: { $0.name == parts[0] }),
      let volume = device.volume.values.first
    else { return "there is no device for \(word)" }
    guard device.activePort != parts[1] || abs(volume.fraction * 100 - percent) >= 1 else {
      return nil
    }
    return "\(word) is at the port \(device.activePort ?? "none"), \(volume.fraction * 100) %"
  }

  /// Which default is not a device of the configuration or of a card.
  private func missingDefault(_ snapshot: ServerSnapshot) -> String? {
    for direction in Direction.allCases {
      let cardless = configuration.devices.filter { $0.direction == direction }.map(\.name)
      let onCards = snapshot.hardware.filter { $0.direction == direction && $0.card != nil }
      let names = cardless + onCards.map(\.name)
      let there = snapshot.devices(direction)
      guard !names.isEmpty || direction == .output else { continue }
      let name = snapshot.server.defaultName(direction)
      guard let chosen = there.first(where: { $0.name == name }) else {
        return "the default \(direction) \(name ?? "none") is no device"
      }
      let absent = Set(names).subtracting(there.map(\.name))
      guard absent.isEmpty else { return "there is no \(absent.sorted().joined(separator: ", "))" }
      // Before the devices are known the default is a dummy or a monitor. After a restart it may be
      // the device of a client that was faster.
      let isChosen = names.isEmpty || !(chosen.isMonitor || chosen.name == "auto_null")
      guard isChosen else { return "the default \(direction) is still \(chosen.name)" }
    }
    return nil
  }
}
