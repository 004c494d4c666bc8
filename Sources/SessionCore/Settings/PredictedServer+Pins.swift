import PulseTypes

extension PredictedServer {
  mutating func setRatePin(_ direction: Direction, _ name: String, _ rate: Int?) {
    guard let device = snapshot.device(direction, named: name) else { return }
    let path = Self.streams(direction)
    snapshot[keyPath: path].removeAll {
      $0.device == device.index && $0.properties[Owned.pinKey] == "rate"
    }
    guard let rate else { return }
    addPin(device, snapshot.pins.ratePin(rate))
  }

  private mutating func addPin(_ device: Device, _ properties: [String: String]) {
    snapshot[keyPath: Self.streams(device.direction)].append(
      Stream(
        direction: device.direction, index: freeStreamIndex(device.direction),
        device: device.index, sampleSpec: device.sampleSpec, channelMap: device.channelMap,
        isCorked: true, properties: properties))
  }

  mutating func setPin(_ direction: Direction, _ name: String, _ value: SettingValue) {
    guard let device = snapshot.device(direction, named: name) else { return }
    let path = Self.streams(direction)
    let former = snapshot.pins.streams(on: device).filter {
      $0.properties[Owned.pinLatencyKey] != nil
    }
    snapshot[keyPath: path].removeAll { pin in former.contains { $0.index == pin.index } }
    guard case .duration(let latency) = value else { return }
    addPin(device, snapshot.pins.latencyPin(latency, on: device))
    if !snapshot.has(.unreportedBuffer) { edit(direction, name) { $0.configuredLatency = latency } }
  }
}
