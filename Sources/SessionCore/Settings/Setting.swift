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

extension Setting {
  /// What the session knows of it: the only switch over the cases.
  var kind: any SettingKind {
    switch self {
    case .cardProfile(let card): CardProfileSetting(card: card)
    case .codec(let card): CodecSetting(card: card)
    case .rate(let direction, let device): RateSetting(direction: direction, name: device)
    case .latency(let direction, let device): LatencySetting(direction: direction, name: device)
    case .defaultDevice(let direction): DefaultDeviceSetting(direction: direction)
    case .port(let direction, let device): PortSetting(direction: direction, name: device)
    case .chain(let direction): ChainSetting(direction: direction)
    case .combination: CombinationSetting()
    case .echoCanceller: EchoCancellerSetting()
    case .others(let treatment): OthersSetting(treatment: treatment)
    case .trigger: TriggerSetting()
    case .othersMute(let index): OthersMuteSetting(index: index)
    case .othersVolume(let index): OthersVolumeSetting(index: index)
    case .stream(let direction, let index): StreamSetting(direction: direction, index: index)
    case .volume(let direction, let device): VolumeSetting(direction: direction, name: device)
    case .mute(let direction, let device): MuteSetting(direction: direction, name: device)
    case .latencyOffset(let card, let port): LatencyOffsetSetting(card: card, port: port)
    }
  }

  /// The server's object that the setting belongs to.
  public var object: String { kind.object }

  /// What of the object it is, in PulseAudio's words.
  public var propertyName: String { kind.label }

  /// Whether it is the volume or mute of a device.
  package var isLevel: Bool { kind.traits.contains(.level) }

  /// The phase in which it is changed.
  public var phase: Phase { kind.phase }

  /// The direction of the device that it is a value of, where it is one.
  package var deviceDirection: Direction? { kind.device?.direction }

  /// What to ask of the server for a value; nil of a value that it cannot have.
  package func requests(
    for value: SettingValue, in snapshot: ServerSnapshot
  ) -> [ServerRequest]? { kind.requests(for: value, in: snapshot) }

  /// The objects to read again after a write, beside those that events name.
  package func written(in snapshot: ServerSnapshot) -> [ServerObject] {
    kind.written(in: snapshot)
  }

  /// How long the server may take until it shows a value; nil is as long as there is time.
  package func patience(isLazy: Bool) -> Duration? { kind.patience(isLazy: isLazy) }

  /// The links of the chains, in the order in which they are built: what an earlier one makes, a
  /// later one may stand on.
  ///
  /// Combined outputs play what one output would, so they are the nearest to the hardware. The
  /// canceller's sink has one channel, so it stands before the output's remap; its source has the
  /// hardware's channels, for the input's remap to choose from.
  static let links: [Setting] = [.combination, .chain(.output), .echoCanceller, .chain(.input)]

  /// Whether it has a trait.
  package func `is`(_ trait: SettingTraits) -> Bool { kind.traits.contains(trait) }

  /// Whether it is a module of ours.
  public var isModule: Bool { `is`(.module) }

  /// Whether it is what a session does to a stream of another program by itself, as long as it holds.
  public var isOfOthers: Bool { `is`(.others) }

  /// Whether its object is a stream of another program, which may end at any time.
  public var isOfStream: Bool { `is`(.stream) }

  /// Whether the server may leave it unmet without a failure.
  public var isHint: Bool { `is`(.hint) }

  /// What our devices of a direction that the setting stands for are; nil if it has none there.
  func role(_ direction: Direction) -> String? { (kind as? any LinkKind)?.role(direction) }

  /// The name of the device that a link has in a direction.
  func deviceName(_ direction: Direction) -> String {
    (kind as? any LinkKind)?.deviceName(direction) ?? Owned.name(direction)
  }

  /// The module that makes a link; nil of what is none.
  var moduleName: String? { (kind as? any LinkKind)?.moduleName }
}
