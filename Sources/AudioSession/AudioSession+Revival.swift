import POSIX
import Pulse
import PulseTypes
import SessionCore

/// Devices that deliver nothing after the machine woke up, a common fault of laptops: their card is
/// switched off and on.
extension AudioSession {
  /// Wakes the session when the machine wakes up, which may cause no event of the server.
  func watchClock() {
    guard configuration.isHolding, upkeep.clock == nil, let descriptor = clockDescriptor() else {
      return
    }
    upkeep.clock = DescriptorWatch(descriptor, on: loop) { [weak self] in
      awaitNextClockChange(descriptor)
      self?.assumeIsolated { $0.noteChange() }
    }
  }

  /// How often a device is revived before the session gives up.
  private static var mostAttempts: Int { 3 }

  /// Revives the devices in use that deliver nothing, and reports the result. Other calls run
  /// meanwhile.
  func reviveDevices(of live: LiveServer) async {
    // After the look that noticed it.
    await queue.turns.take()
    queue.turns.pass()
    var attempts: [Device: Int] = [:]
    for attempt in 0...Self.mostAttempts {
      let (silent, sounding) = await devicesInUse(of: live)
      for device in attempts.keys where !silent.contains(where: { $0.isSame(device) }) {
        // Of one that is gone, or of a server that ended, nothing is known.
        let count = attempts.removeValue(forKey: device)
        guard sounding.contains(where: { $0.isSame(device) }) else { continue }
        report(device, count, isRevived: true)
      }
      guard attempt < Self.mostAttempts, !silent.isEmpty else { break }
      guard await restartCards(of: silent, live) else { break }
      for device in silent {
        let known = attempts.keys.first { $0.isSame(device) } ?? device
        attempts[known, default: 0] += 1
      }
    }
    for (device, attempts) in attempts { report(device, attempts, isRevived: false) }
  }

  private func report(_ device: Device, _ attempts: Int?, isRevived: Bool) {
    emit(.deviceStalled(device.name, attempts: attempts ?? 0, isRevived: isRevived))
  }

  /// The devices in use, of those with a card, that deliver nothing, and those that deliver something.
  private func devicesInUse(of live: LiveServer) async -> (silent: [Device], sounding: [Device]) {
    var (silent, sounding): ([Device], [Device]) = ([], [])
    for direction in modeInEffect?.category?.directions ?? Set(Direction.allCases) {
      guard let device = await live.snapshot.chain.defaultRoot(direction), device.card != nil,
        let isSilent = await live.isSilent(device)
      else { continue }
      if isSilent { silent.append(device) } else { sounding.append(device) }
    }
    return (silent, sounding)
  }

  /// Switches the cards of devices off and on; false if that did not happen.
  private func restartCards(of devices: [Device], _ live: LiveServer) async -> Bool {
    await queue.turns.take()
    defer { queue.turns.pass() }
    guard self.live === live, isKept, !upkeep.rules.interruptions.mayBeInterrupted,
      await live.lost == nil
    else { return false }
    // Half of it would leave a card off.
    queue.running = StopSignal()
    defer { queue.running = nil }
    let store = store(live)
    let driver = driver(live, store, Deadline(after: configuration.timeout))
    do throws(SessionError) {
      var input = try await input(AudioMode(), live, store, isExplicit: true)
      input.refusals = [:]
      input.silentCards = Set(devices.compactMap { input.snapshot.card(of: $0)?.name })
      var change = ModeChange(
        input, to: .inEffect, wasInEffect: true, onDisk: life.held?.stored,
        tracer: configuration.tracer)
      do throws(SessionError) {
        try await driver.run(&change.run)
      } catch {
        life.held?.note(change.run)
        throw error
      }
      guard var back = change.undoing(in: await live.snapshot) else { return false }
      // If this fails, the baseline on disk still leads back, also for the next look.
      life.held?.note(change.run)
      try await driver.run(&back)
      let baseline = change.undone(by: back)
      life.held?.baseline = baseline
      life.held?.stored = back.onDisk
      try store.write(baseline)
      life.held?.stored = nil
      guard change.left(by: back).blocked.isEmpty else {
        // A card that stays off delivers nothing.
        upkeep.failLook()
        schedule()
        return false
      }
      // The mode's levels belong to the devices that are back.
      noteChange()
      return true
    } catch {
      upkeep.failLook()
      schedule()
      emit(.reapplyFailed(error))
      return false
    }
  }
}

extension Device {
  /// Whether it is the same device of two snapshots: its index changes when it returns.
  fileprivate func isSame(_ other: Device) -> Bool {
    direction == other.direction && name == other.name
  }
}

extension LiveServer {
  /// How long a device may take to deliver its first sound.
  private static var firstSound: Duration { .seconds(2) }

  /// Whether a device runs for a stream and delivers nothing; nil if that is not known.
  func isSilent(_ device: Device) async -> Bool? {
    guard let source = device.direction == .input ? device.name : device.monitor else { return nil }
    let options = StreamOptions(
      direction: .input, name: "Audio session probe", device: source, spec: device.sampleSpec,
      channelMap: device.channelMap, latency: .milliseconds(100), startCorked: false,
      flags: [.dontMove], properties: Owned.properties(Owned.wakePin))
    guard let stream = await openProbe(options) else { return nil }
    let (sounds, sound) = AsyncStream.makeStream(of: Bool.self)
    await stream.setDataHandler { sound.yield(true) }
    await stream.setEndHandler { _ in sound.yield(false) }
    let alarm = Deadline(after: Self.firstSound).onPassing(on: client.loop) { sound.finish() }
    defer { alarm.cancel() }
    for await isSound in sounds {
      await letSleep(stream)
      // The stream's end shows nothing.
      return isSound ? false : nil
    }
    doubt()
    let isRead = (try? await refresh(deadline: Deadline(after: .seconds(2)))) != nil
    let state = isRead ? snapshot.device(.input, named: source)?.state : nil
    await letSleep(stream)
    // An output without a playing stream is idle; its monitor runs for the stream, but is idle as well
    // on PipeWire 1.4.
    let isRunning = state == .running || device.direction == .output && state == .idle
    return isRunning ? true : nil
  }

  /// A busy PipeWire may leave one request unanswered.
  private func openProbe(_ options: StreamOptions) async -> PulseStream? {
    for _ in 1...3 {
      do {
        return try await client.openStream(options, timeout: .seconds(2))
      } catch {
        guard error.code == .timedOut else { return nil }
      }
    }
    return nil
  }
}
