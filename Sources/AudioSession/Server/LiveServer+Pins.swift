import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Opens, replaces or closes the pin of a hint.
  ///
  /// On PulseAudio a corked stream sets the rate of an idle device, and holds its latency for all
  /// programs on it, while the device may still suspend. On PipeWire a running stream forces the
  /// graph: `tendPins` runs it while others use the device.
  func writePin(
    _ setting: Setting, _ value: SettingValue, _ timeout: Duration
  ) async throws(PulseError) {
    await close(pin: setting)
    await forgetEndedPins()
    guard let device = snapshot.device(of: setting) else { return }
    let direction = device.direction
    let rate =
      snapshot.pins.knownRate(of: device).map { UInt32(clamping: $0) } ?? device.sampleSpec.rate
    let ratePin = Setting.rate(direction, device: device.name)
    switch value {
    case .rate(let rate):
      // If both run, PipeWire 1.4 stops all streams for one, then for the other, and so on.
      if snapshot.has(.runningPins), let other = pins[.latency(direction, device: device.name)],
        await !other.isCorked
      {
        try? await other.cork(true, timeout: min(timeout, .seconds(1)))
      }
      var properties = snapshot.pins.ratePin(rate)
      properties[Graph.quantumKey] = quanta[.latency(direction, device: device.name)]
      pins[setting] = try await open(
        device, UInt32(clamping: rate), nil, properties, timeout)
    case .duration(let latency):
      let properties = snapshot.pins.latencyPin(latency, on: device)
      pins[setting] = try await open(device, rate, latency, properties, timeout)
      quanta[setting] = properties[Graph.quantumKey]
      // The latency pin has the device's rate, too; one stream is enough, unless it must force the
      // rate.
      if !snapshot.has(.graphRate) { await close(pin: ratePin) }
    default: break
    }
    guard snapshot.has(.runningPins), setting.isLatency, let pin = pins[ratePin] else {
      return
    }
    try await pin.updateProperties(
      [Graph.quantumKey: quanta[setting] ?? "0"], timeout: timeout)
  }

  /// Forgets the pins that ended with their device: they hold nothing, also if it is back.
  func forgetEndedPins() async {
    for (setting, pin) in pins where await hasEnded(pin, of: setting) { await close(pin: setting) }
  }

  /// Whether a pin has ended; PipeWire 1.4 keeps a stream whose device was removed, without a device, and
  /// reports nothing.
  func hasEnded(_ pin: PulseStream, of setting: Setting) async -> Bool {
    guard await pin.isOpen else { return true }
    guard snapshot.has(.strandedStreams) else { return false }
    guard let device = snapshot.device(of: setting) else { return true }
    // The server may show a new pin later than it answers.
    guard let opened = await pin.deviceIndex, opened != device.index else { return false }
    return snapshot.stream(pin.direction, at: pin.index)?.device != device.index
  }

  /// Closes a pin, which the server may show later.
  func close(pin setting: Setting) async {
    (quanta[setting], cycles[setting]) = (nil, nil)
    guard let pin = pins.removeValue(forKey: setting) else { return }
    mark(.stream(pin.direction, pin.index))
    noteClosing(pin)
    await pin.close()
  }

  /// Notes a stream that was closed, so that its removal from the list can be awaited; PipeWire may
  /// be late.
  func noteClosing(_ stream: PulseStream) {
    if snapshot.has(.earlyReplies) { closing.insert(stream.index) }
  }

  private static var firstTry: Duration { .milliseconds(700) }
  private static var secondTry: Duration { .milliseconds(1300) }
  /// How long PipeWire has for a stream after one that it did not answer, and for how long after it.
  private static var shortTry: Duration { .milliseconds(200) }
  private static var silence: Duration { .seconds(5) }

  /// - Parameter latency: nil for a rate pin, which on PipeWire must run to show its rate.
  private func open(
    _ device: Device, _ rate: UInt32, _ latency: Duration?, _ properties: [String: String],
    _ timeout: Duration
  ) async throws(PulseError) -> PulseStream {
    let kind = properties[Owned.pinKey] ?? ""
    let options = StreamOptions(
      direction: device.direction, name: "Audio session \(kind) pin", device: device.name,
      spec: SampleSpec(format: .s16le, rate: rate, channels: device.sampleSpec.channels),
      channelMap: device.channelMap, latency: latency,
      startCorked: latency != nil || !snapshot.has(.runningPins), flags: [.dontMove],
      properties: properties.merging(Owned.properties(kind)) { $1 })
    let pin: PulseStream
    // On a busy machine PipeWire may never answer the request for one stream, and answer the next at
    // once; and the rest of the mode must not wait for a hint.
    let isLazy = snapshot.has(.earlyReplies)
    // Several hints that wait as long as the first one would take the time of the rest.
    let isSilent = lateStream.map { .now - $0 < Self.silence } ?? false
    let first = isLazy ? min(timeout, isSilent ? Self.shortTry : Self.firstTry) : timeout
    do throws(PulseError) {
      do throws(PulseError) {
        pin = try await client.openStream(options, timeout: first)
      } catch {
        // PipeWire fails with an I/O error while the stream's device is being reconnected.
        guard
          error.code == .ioError
            || isLazy && !isSilent && error.code == .timedOut && first < timeout
        else { throw error }
        let second = isLazy ? min(timeout - first, Self.secondTry) : timeout
        pin = try await client.openStream(options, timeout: max(.milliseconds(1), second))
      }
      lateStream = nil
    } catch {
      if isLazy, !isSilent, error.code == .timedOut { lateStream = .now }
      throw error
    }
    mark(.stream(device.direction, pin.index))
    return pin
  }

  /// Waits until the effect of a pin, or of its closing, is visible, which on PipeWire happens after the
  /// answer.
  ///
  /// A device that supports a rate switches within about 5 ms; one that does not reports nothing,
  /// and the pin is closed. Returns its rate in the meantime, because an idle device reports a
  /// meaningless rate.
  func awaitPin(_ step: Step, deadline: Deadline) async throws(SessionError) -> Int? {
    guard snapshot.has(.earlyReplies) else { return nil }
    try await awaitClosing(deadline: deadline)
    if step.setting.isLatency { await awaitCycle(step.setting, deadline: deadline) }
    guard case .rate(let rate) = step.to else { return nil }
    guard try await !isGranted(rate, step.setting, deadline: deadline) else {
      // As many frames are another time now.
      if case .rate(let direction, let device) = step.setting {
        await awaitCycle(.latency(direction, device: device), deadline: deadline)
      }
      return nil
    }
    let device = snapshot.device(of: step.setting)
    let kept = device?.state == .running ? device.map { Int($0.sampleSpec.rate) } : nil
    await close(pin: step.setting)
    try await awaitClosing(deadline: deadline)
    return kept == rate ? nil : kept
  }

  /// Waits until the server no longer lists closed pins.
  func awaitClosing(deadline: Deadline) async throws(SessionError) {
    guard snapshot.has(.earlyReplies), !closing.isEmpty else { return }
    let gone = closing
    closing = []
    doubt()
    _ = try await wait(deadline: deadline) { snapshot in
      !Direction.allCases.contains { direction in
        snapshot.streams(direction).contains { gone.contains($0.index) }
      }
    }
  }

  /// Closes the pins, and waits until the server no longer lists them.
  func releasePins(deadline: Deadline) async throws(SessionError) {
    for setting in pins.keys { await close(pin: setting) }
    try await awaitClosing(deadline: deadline)
  }

  func grants() async -> [Setting: Duration] {
    var result: [Setting: Duration] = [:]
    for setting in pins.keys where setting.isLatency {
      result[setting] = await granted(setting)
    }
    return result
  }

  func pinList() async -> [SessionState.Pin] {
    var result: [SessionState.Pin] = []
    for (setting, pin) in pins where await pin.isOpen {
      let spec = await pin.sampleSpec
      let isLatency = setting.isLatency
      var granted = await granted(setting)
      if let device = snapshot.device(of: setting),
        case .duration(let asked) = snapshot.value(of: setting)
      {
        granted = snapshot.latency(givenTo: asked, granted: granted, on: device)
      }
      result.append(
        SessionState.Pin(
          device: setting.object,
          kind: isLatency ? "latency" : "rate",
          latency: isLatency ? granted?.seconds : nil, sampleRate: Int(spec?.rate ?? 0),
          held: true, running: await pins[runner(setting)]?.isCorked == false))
    }
    return result.sorted { ($0.device, $0.kind) < ($1.device, $1.kind) }
  }
}

extension Owned {
  /// The properties of a stream of the session, by its value of ``pinKey``.
  static func properties(_ pin: String, role: String = "abstract") -> [String: String] {
    [pinKey: pin, "media.role": role, "application.id": applicationID]
  }
}
