public import PulseTypes

/// One thing on a server that the session may change, named so that it means the same later.
public enum Setting: Sendable, Hashable, Codable {
  /// The profile of a card.
  case cardProfile(card: String)
  /// The codec of a Bluetooth card.
  case codec(card: String)
  /// The sample rate of a device.
  case rate(Direction, device: String)
  /// The latency pin on a device.
  case latency(Direction, device: String)
  /// The default source or sink.
  case defaultDevice(Direction)
  /// The port of a device.
  case port(Direction, device: String)
  /// Our remap.
  case chain(Direction)
  /// Our combined outputs.
  case combination
  /// Our echo canceller, a link of the input's and of the output's chain at once.
  case echoCanceller
  /// What the server does to others' streams while our trigger is there.
  case others(Treatment)
  /// The trigger: a silent stream of ours that plays as long as others are treated.
  case trigger
  /// The mute of another program's playback stream, where nothing on the server silences others; its
  /// number means something during one run of the server.
  case othersMute(Index<Stream>)
  /// The volume of another program's playback stream, where nothing on the server ducks others.
  case othersVolume(Index<Stream>)
  /// Where a stream is; its number likewise.
  case stream(Direction, Index<Stream>)
  /// The volume of a device.
  case volume(Direction, device: String)
  /// The mute of a device.
  case mute(Direction, device: String)
  /// The latency offset of a card's port.
  case latencyOffset(card: String, port: String)
}

/// What a setting can be.
public enum SettingValue: Sendable, Hashable, Codable {
  /// Nothing: no default, no remap, no pin.
  case absent
  /// The name of a profile, device or port.
  case name(String)
  /// Hz.
  case rate(Int)
  /// A latency or an offset.
  case duration(Duration)
  /// The volume of each channel.
  case volume(ChannelVolumes)
  /// Muted or not.
  case flag(Bool)
  /// A remap.
  case remap(RemapSpec)
  /// Combined outputs.
  case combination(CombineSpec)
  /// An echo canceller.
  case echoCanceller(EchoCancellerSpec)
  /// The roles of the streams that are treated.
  case roles([String])
}

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
    return owned.last.map { .name($0.name) } ?? .absent
  }
}

extension Setting {
  /// The server's object that the setting belongs to.
  public var object: String {
    switch self {
    case .cardProfile(let card), .codec(let card): card
    case .rate(_, let device), .latency(_, let device), .port(_, let device),
      .volume(_, let device), .mute(_, let device):
      device
    case .defaultDevice, .others, .trigger: "server"
    case .chain(let direction): Owned.name(direction)
    case .combination: Owned.combineName
    case .echoCanceller: Owned.echoName(.input)
    case .othersMute(let index), .othersVolume(let index): "sink input \(index)"
    case .stream(let direction, let index):
      (direction == .input ? "source output " : "sink input ") + index.description
    case .latencyOffset(let card, let port): "\(card) \(port)"
    }
  }

  /// What of the object it is, in PulseAudio's words.
  public var propertyName: String {
    switch self {
    case .cardProfile: "profile"
    case .codec: "codec"
    case .rate: "sample rate"
    case .latency: "latency"
    case .defaultDevice(let direction): direction == .input ? "default source" : "default sink"
    case .port: "port"
    case .chain: "channel map"
    case .combination: "outputs"
    case .echoCanceller: "echo canceller"
    case .others(let treatment): "\(treatment.rawValue) others"
    case .trigger: "trigger for others"
    case .stream: "device"
    case .volume, .othersVolume: "volume"
    case .mute, .othersMute: "mute"
    case .latencyOffset: "latency offset"
    }
  }

  /// The phase in which it is changed.
  public var phase: Phase {
    switch self {
    case .cardProfile, .codec: .category
    case .rate: .sampleRate
    case .latency: .ioBufferDuration
    case .defaultDevice: .preferredDevices
    case .port: .port
    case .combination, .chain, .echoCanceller, .stream: .channelMap
    case .volume, .mute, .latencyOffset, .others, .trigger, .othersMute, .othersVolume: .levels
    }
  }

  /// The links of the chains, in the order in which they are built: what an earlier one makes, a
  /// later one may stand on.
  ///
  /// Combined outputs play what one output would, so they are the nearest to the hardware. The
  /// canceller's sink has one channel, so it stands before the output's remap; its source has the
  /// hardware's channels, for the input's remap to choose from.
  static let links: [Setting] = [.combination, .chain(.output), .echoCanceller, .chain(.input)]

  /// Whether it is a link of a chain: a module of ours.
  public var isLink: Bool { Self.links.contains(self) }

  /// What our devices of a direction that the setting stands for are; nil where it has none there.
  func role(_ direction: Direction) -> String? {
    switch self {
    case .chain(direction): Owned.remapRole
    case .combination: direction == .output ? Owned.combineRole : nil
    case .echoCanceller: Owned.echoRole
    default: nil
    }
  }

  /// Whether it is a module of ours.
  public var isModule: Bool { if case .others = self { true } else { isLink } }

  /// Whether it is what a session does to a stream of another program by itself, as long as it holds.
  public var isOfOthers: Bool {
    switch self {
    case .othersMute, .othersVolume: true
    default: false
    }
  }

  /// Whether its object is a stream of somebody's, which may end at any time.
  public var isOfStream: Bool { if case .stream = self { true } else { isOfOthers } }

  /// The name of the device that a link has in a direction.
  func deviceName(_ direction: Direction) -> String {
    switch self {
    case .combination: Owned.combineName
    case .echoCanceller: Owned.echoName(direction)
    default: Owned.name(direction)
    }
  }

  /// Whether the server may leave it unmet without a failure.
  public var isHint: Bool {
    switch self {
    case .rate, .latency: true
    default: false
    }
  }
}

extension SettingValue: CustomStringConvertible {
  /// For people: `none`, `48000 Hz`, `10 ms`, `80 %`, `front-right,front-left of NAME`.
  public var description: String {
    switch self {
    case .absent: "none"
    case .name(let name): name
    case .rate(let rate): "\(rate) Hz"
    case .duration(let duration): Words.milliseconds(duration)
    case .volume(let volumes): Words.volume(volumes)
    case .flag(let flag): flag ? "on" : "off"
    case .remap(let spec):
      (spec.isMix ? "all channels mixed" : spec.masterMap.description) + " of \(spec.master)"
    case .roles(let roles): roles.joined(separator: ",")
    case .combination(let spec): spec.outputs.joined(separator: " and ")
    case .echoCanceller(let spec): "\(spec.method) between \(spec.input) and \(spec.output)"
    }
  }
}
