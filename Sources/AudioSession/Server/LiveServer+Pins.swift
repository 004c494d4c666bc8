import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Opens, replaces or closes the pin of a hint.
  ///
  /// A corked stream sets the rate of an idle device, and holds its latency for every program on it
  /// while the device may still suspend.
  func writePin(_ step: Step, _ timeout: Duration) async throws(PulseError) {
    await close(pin: step.setting)
    switch (step.setting, step.to) {
    case (.rate(let direction, let name), .rate(let rate)):
      pins[step.setting] = try await open(
        direction, name, rate: UInt32(rate), latency: nil, kind: "rate", timeout)
    case (.latency(let direction, let name), .duration(let latency)):
      let rate = snapshot.device(direction, named: name)?.sampleSpec.rate ?? 48000
      pins[step.setting] = try await open(
        direction, name, rate: rate, latency: latency, kind: "latency", timeout)
      // The latency pin has the device's rate too; one stream is enough.
      await close(pin: .rate(direction, device: name))
    default: break
    }
  }

  private func close(pin setting: Setting) async {
    guard let pin = pins.removeValue(forKey: setting) else { return }
    mark(.stream(pin.direction, pin.index))
    await pin.close()
  }

  private func open(
    _ direction: Direction, _ name: String, rate: UInt32, latency: Duration?, kind: String,
    _ timeout: Duration
  ) async throws(PulseError) -> PulseStream {
    let device = snapshot.device(direction, named: name)
    let channels = device?.sampleSpec.channels ?? 2
    var properties = [
      Owned.pinKey: kind, "media.role": "abstract", "application.id": Owned.applicationID,
    ]
    if let latency { properties[Owned.pinLatencyKey] = String(latency.microseconds) }
    let pin = try await client.openStream(
      StreamOptions(
        direction: direction, name: "Audio session \(kind) pin", device: name,
        spec: SampleSpec(format: .s16le, rate: rate, channels: channels),
        channelMap: device?.channelMap, latency: latency, startCorked: true, flags: [.dontMove],
        properties: properties),
      timeout: timeout)
    mark(.stream(direction, pin.index))
    return pin
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
      let granted = await pin.grantedLatency
      let isLatency = if case .latency = setting { true } else { false }
      result.append(
        SessionState.Pin(
          device: setting.object, kind: isLatency ? "latency" : "rate",
          latency: isLatency ? granted?.seconds : nil, sampleRate: Int(spec?.rate ?? 0),
          held: true))
    }
    return result.sorted { ($0.device, $0.kind) < ($1.device, $1.kind) }
  }
}
