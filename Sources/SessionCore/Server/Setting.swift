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

  /// The module that makes a link; nil of what is none.
  var moduleName: String? {
    switch self {
    case .chain(let direction): RemapSpec.moduleName(direction)
    case .combination: CombineSpec.moduleName
    case .echoCanceller: EchoCancellerSpec.moduleName
    default: nil
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
