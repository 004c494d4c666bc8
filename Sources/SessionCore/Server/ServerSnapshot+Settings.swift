public import PulseTypes

extension ServerSnapshot {
  /// What a setting is now; nil where its object does not exist.
  public func value(of setting: Setting) -> SettingValue? {
    switch setting {
    case .cardProfile(let card):
      self.card(named: card).map { $0.activeProfile.map(SettingValue.name) ?? .absent }
    case .codec(let card):
      self.card(named: card).map { $0.activeCodec.map(SettingValue.name) ?? .absent }
    case .rate(let direction, let device):
      self.device(direction, named: device).map {
        knownRate(of: $0).map(SettingValue.rate) ?? .absent
      }
    case .latency(let direction, let device):
      self.device(direction, named: device).map { pinnedLatency(on: $0) }
    case .defaultDevice(let direction):
      server.defaultName(direction).map(SettingValue.name) ?? SettingValue.absent
    case .port(let direction, let device):
      self.device(direction, named: device).map {
        $0.activePort.map(SettingValue.name) ?? .absent
      }
    case .chain(let direction):
      linkValue(setting, direction, remap(direction).map(SettingValue.remap))
    case .combination:
      linkValue(setting, .output, combination.map(SettingValue.combination))
    case .echoCanceller:
      linkValue(setting, .input, echoCanceller.map(SettingValue.echoCanceller))
    case .others(let treatment): othersValue(treatment)
    case .trigger:
      streams(.output, having: Owned.pinKey).contains {
        $0.properties[Owned.pinKey] == Owned.triggerPin
      } ? .flag(true) : SettingValue.absent
    case .othersMute(let index):
      stream(.output, at: index).map { .flag($0.isMuted) }
    case .othersVolume(let index):
      stream(.output, at: index)?.volume.map { .volume($0) }
    case .stream(let direction, let index):
      stream(direction, at: index).map { stream in
        device(direction, at: stream.device).map { .name($0.name) } ?? .absent
      }
    case .volume(let direction, let device):
      self.device(direction, named: device).map { .volume($0.volume) }
    case .mute(let direction, let device):
      self.device(direction, named: device).map { .flag($0.isMuted) }
    case .latencyOffset(let card, let port):
      self.card(named: card)?.ports.first { $0.name == port }.map { .duration($0.latencyOffset) }
    }
  }

  private func pinnedLatency(on device: Device) -> SettingValue {
    let pin = pins(on: device).first { $0.properties[Owned.pinLatencyKey] != nil }
    guard let pin, let micros = pin.properties[Owned.pinLatencyKey].flatMap({ Int64($0) }) else {
      return .absent
    }
    let latency = Duration.microseconds(micros)
    // So many frames are another duration once the graph has another rate.
    let wanted = latencyPin(latency, on: device)[Graph.quantumKey]
    return pin.properties[Graph.quantumKey] == wanted ? .duration(latency) : .absent
  }

  /// The modules of ours that treat others so.
  public func modules(of treatment: Treatment) -> [Module] {
    modules(named: treatment.moduleName).filter { treatment.roles($0.name, $0.argument) != nil }
  }

  private func othersValue(_ treatment: Treatment) -> SettingValue {
    let ours = modules(of: treatment)
    guard ours.count <= 1 else { return .name("loaded \(ours.count) times") }
    return ours.first.flatMap { treatment.roles($0.name, $0.argument) }.map { .roles($0) }
      ?? .absent
  }

  /// A link that lost what it hangs on, or that is there twice, is nothing that could be wished.
  private func linkValue(
    _ setting: Setting, _ direction: Direction, _ value: SettingValue?
  ) -> SettingValue {
    let owned = ownedDevices(direction, of: setting)
    // While one that died still has a name the server gives another to the next: it is built anew.
    let isNamed = devices(of: setting).allSatisfy { $0.name == setting.deviceName($0.direction) }
    if owned.count == 1, isNamed, let value { return value }
    if let owned = owned.last { return .name(owned.name) }
    return barrenModules(of: setting).isEmpty ? .absent : .name("a module without a device")
  }
}
