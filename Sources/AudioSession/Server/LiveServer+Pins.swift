import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Opens, replaces or closes the pin of a hint.
  ///
  /// On PulseAudio a corked stream sets the rate of an idle device, and holds its latency for every
  /// program on it while the device may still suspend. On PipeWire a running stream forces the graph:
  /// `tendPins` lets it run while others use the device.
  func writePin(_ step: Step, _ timeout: Duration) async throws(PulseError) {
    await close(pin: step.setting)
    guard let direction = step.setting.pinDirection,
      let device = snapshot.device(direction, named: step.setting.object)
    else { return }
    let rate = snapshot.knownRate(of: device).map { UInt32(clamping: $0) } ?? device.sampleSpec.rate
    switch step.to {
    case .rate(let rate):
      pins[step.setting] = try await open(
        device, UInt32(clamping: rate), nil, snapshot.ratePin(rate), timeout)
    case .duration(let latency):
      pins[step.setting] = try await open(
        device, rate, latency, snapshot.latencyPin(latency, on: device), timeout)
      // The latency pin has the device's rate too; one stream is enough, where it need not force it.
      if !snapshot.hasGraph { await close(pin: .rate(direction, device: device.name)) }
    default: break
    }
  }

  private func close(pin setting: Setting) async {
    guard let pin = pins.removeValue(forKey: setting) else { return }
    mark(.stream(pin.direction, pin.index))
    noteClosing(pin)
    await pin.close()
  }

  /// Lets a stream of ours be waited for until it is listed no more, which PipeWire may do for a while.
  func noteClosing(_ stream: PulseStream) {
    if snapshot.hasGraph { closing.insert(stream.index) }
  }

  /// - Parameter latency: nil for a rate pin, which on PipeWire must run to show its rate.
  private func open(
    _ device: Device, _ rate: UInt32, _ latency: Duration?, _ properties: [String: String],
    _ timeout: Duration
  ) async throws(PulseError) -> PulseStream {
    let kind = properties[Owned.pinKey] ?? ""
    let ours = ["media.role": "abstract", "application.id": Owned.applicationID]
    let options = StreamOptions(
      direction: device.direction, name: "Audio session \(kind) pin", device: device.name,
      spec: SampleSpec(format: .s16le, rate: rate, channels: device.sampleSpec.channels),
      channelMap: device.channelMap, latency: latency,
      startCorked: latency != nil || !snapshot.hasGraph, flags: [.dontMove],
      properties: properties.merging(ours) { $1 })
    let pin: PulseStream
    do throws(PulseError) {
      pin = try await client.openStream(options, timeout: timeout)
    } catch {
      // PipeWire has this for a stream that comes while its device is being connected anew.
      guard error.code == .ioError else { throw error }
      pin = try await client.openStream(options, timeout: timeout)
    }
    mark(.stream(device.direction, pin.index))
    return pin
  }

  /// Waits until a pin's opening or closing shows, which on PipeWire comes after the answer.
  ///
  /// A device that can take a rate does so in some 5 ms, one that cannot stays silent about it; then
  /// the pin goes.
  func awaitPin(_ step: Step, deadline: Deadline) async throws(SessionError) {
    guard snapshot.hasGraph else { return }
    try await awaitClosing(deadline: deadline)
    guard case .rate(let rate) = step.to,
      try await !isGranted(rate, step.setting, deadline: deadline)
    else { return }
    await close(pin: step.setting)
    try await awaitClosing(deadline: deadline)
  }

  /// Whether a device runs at a rate, at once or soon.
  private func isGranted(
    _ rate: Int, _ setting: Setting, deadline: Deadline
  ) async throws(SessionError) -> Bool {
    guard let direction = setting.pinDirection else { return true }
    let patience = Deadline(after: min(deadline.remaining, .milliseconds(500)))
    return try await wait(deadline: patience, answer: deadline) { snapshot in
      let device = snapshot.device(direction, named: setting.object)
      return device.map { $0.state == .running && Int($0.sampleSpec.rate) == rate } ?? true
    }
  }

  /// Waits until the server lists the pins that were closed no more.
  private func awaitClosing(deadline: Deadline) async throws(SessionError) {
    guard snapshot.hasGraph, !closing.isEmpty else { return }
    let gone = closing
    closing = []
    doubt()
    _ = try await wait(deadline: deadline) { snapshot in
      !Direction.allCases.contains { direction in
        snapshot.streams(direction).contains { gone.contains($0.index) }
      }
    }
  }

  /// Lets the pins run while somebody else uses their device, or always where that is wished; PipeWire only, where a
  /// pin that does not run holds nothing. One that served to restore a rate goes.
  func tendPins(for wish: AudioMode?, deadline: Deadline) async throws(SessionError) {
    guard snapshot.hasGraph else { return await closeRestoringPins(wish?.sampleRate) }
    let restored = pins.keys.filter { setting in
      guard case .rate = setting else { return false }
      return snapshot.value(of: setting) != wish?.sampleRate.map(SettingValue.rate)
    }
    for setting in restored { await close(pin: setting) }
    try await awaitClosing(deadline: deadline)
    for (setting, pin) in pins where await pin.isOpen {
      guard let direction = setting.pinDirection,
        let device = snapshot.device(direction, named: setting.object)
      else { continue }
      let isIdle = wish?.holdsAlways != true && !snapshot.isUsed(device)
      guard await pin.isCorked != isIdle else { continue }
      do throws(PulseError) {
        try await pin.cork(isIdle, timeout: deadline.remaining)
      } catch {
        throw SessionError(error)
      }
      mark(.stream(direction, pin.index))
      // Between the two the device is not as wished, which is nobody's doing.
      if !isIdle, case .rate(let rate) = snapshot.value(of: setting) {
        _ = try await isGranted(rate, setting, deadline: deadline)
      }
    }
  }

  /// Closes the pins, and waits until the server lists them no more.
  func releasePins(deadline: Deadline) async throws(SessionError) {
    for setting in pins.keys { await close(pin: setting) }
    try await awaitClosing(deadline: deadline)
  }

  /// Closes pins that set back the rate of a device which is wished no more: a corked stream sets a
  /// rate, and does not hold it.
  private func closeRestoringPins(_ wished: Int?) async {
    for (setting, pin) in pins {
      guard case .rate = setting else { continue }
      if await pin.sampleSpec.map({ Int($0.rate) }) != wished { await close(pin: setting) }
    }
  }

  /// What the pins were granted, by setting.
  func grants() async -> [Setting: Duration] {
    var result: [Setting: Duration] = [:]
    for (setting, pin) in pins {
      if case .latency = setting { result[setting] = await pin.grantedLatency }
    }
    return result
  }

  /// The pins as the state lists them.
  func pinList() async -> [SessionState.Pin] {
    var result: [SessionState.Pin] = []
    for (setting, pin) in pins where await pin.isOpen {
      let spec = await pin.sampleSpec
      let isLatency = if case .latency = setting { true } else { false }
      let device = setting.pinDirection.flatMap { snapshot.device($0, named: setting.object) }
      let forced = device.flatMap { snapshot.forcedLatency(on: $0) }
      let granted = if let forced { forced } else { await pin.grantedLatency }
      result.append(
        SessionState.Pin(
          device: setting.object,
          kind: setting == .trigger ? Owned.triggerPin : isLatency ? "latency" : "rate",
          latency: isLatency ? granted?.seconds : nil, sampleRate: Int(spec?.rate ?? 0),
          held: true, running: await !pin.isCorked))
    }
    return result.sorted { ($0.device, $0.kind) < ($1.device, $1.kind) }
  }
}

extension Setting {
  /// The direction of a hint's device.
  fileprivate var pinDirection: Direction? {
    switch self {
    case .rate(let direction, _), .latency(let direction, _): direction
    default: nil
    }
  }
}

// MARK: The trigger

extension LiveServer {
  /// Opens or closes the silent stream whose presence makes the server treat others.
  ///
  /// It has the rate of the output, so that it changes none.
  func writeTrigger(_ isThere: Bool, _ timeout: Duration) async throws(PulseError) {
    await close(pin: .trigger)
    guard isThere else { return }
    let spec = snapshot.defaultDevice(.output)?.sampleSpec
    let pin = try await client.openStream(
      StreamOptions(
        direction: .output, name: "Audio session trigger", device: nil,
        spec: SampleSpec(format: .s16le, rate: spec?.rate ?? 48000, channels: 2),
        startCorked: false, flags: [.variableRate],
        properties: [
          Owned.pinKey: Owned.triggerPin, "media.role": Treatment.ownRole,
          "application.id": Owned.applicationID,
        ]),
      timeout: timeout)
    pins[.trigger] = pin
    mark(.stream(.output, pin.index))
  }
}
