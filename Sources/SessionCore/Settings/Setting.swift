package import PulseTypes

/// A value on a server that the session may change, with a name that stays valid over time.
package enum Setting: Sendable, Hashable, Codable {
  case cardProfile(card: String)
  /// The codec of a Bluetooth card.
  case codec(card: String)
  case rate(Direction, device: String)
  /// The latency pin on a device.
  case latency(Direction, device: String)
  /// The default source or sink.
  case defaultDevice(Direction)
  case port(Direction, device: String)
  /// The session's remap.
  case chain(Direction)
  /// The session's combined outputs.
  case combination
  /// The session's echo canceller, a link of the input's and of the output's chain.
  case echoCanceller
  /// The mute of another program's playback stream; its index is valid during one run of the server.
  case othersMute(Index<Stream>)
  /// The volume of another program's playback stream.
  case othersVolume(Index<Stream>)
  /// The device of a stream; its index is valid during one run of the server.
  case stream(Direction, Index<Stream>)
  case volume(Direction, device: String)
  case mute(Direction, device: String)
  case latencyOffset(card: String, port: String)
}

extension Setting {
  /// The implementation of the setting: the only switch over the cases.
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
    case .othersMute(let index): OthersMuteSetting(index: index)
    case .othersVolume(let index): OthersVolumeSetting(index: index)
    case .stream(let direction, let index): StreamSetting(direction: direction, index: index)
    case .volume(let direction, let device): VolumeSetting(direction: direction, name: device)
    case .mute(let direction, let device): MuteSetting(direction: direction, name: device)
    case .latencyOffset(let card, let port): LatencyOffsetSetting(card: card, port: port)
    }
  }

  /// Every setting of a device: the cases with a direction and a device.
  static func all(of device: Device) -> [Setting] {
    let (direction, name) = (device.direction, device.name)
    return [
      .rate(direction, device: name), .latency(direction, device: name),
      .port(direction, device: name), .volume(direction, device: name),
      .mute(direction, device: name),
    ]
  }

  package var object: String { kind.object }

  package var propertyName: String { kind.label }

  /// The property with its object, for users: `volume of mic`, and `default source` of the server.
  package var title: String { object == "server" ? propertyName : "\(propertyName) of \(object)" }

  package var phase: Phase { kind.phase }

  package func requests(
    for value: SettingValue, in snapshot: ServerSnapshot
  ) -> [ServerRequest]? { kind.requests(for: value, in: snapshot) }

  package func written(in snapshot: ServerSnapshot) -> [ObjectID] {
    kind.written(in: snapshot)
  }

  /// How long the server may take until it shows a value; nil means until the deadline.
  package func patience(isLazy: Bool) -> Duration? { kind.patience(isLazy: isLazy) }

  /// The links of the chains, in the order in which they are built: a later one may be on an
  /// earlier one's device.
  ///
  /// Combined outputs replace a single output, so they are the nearest to the hardware. The
  /// canceller's sink has one channel, so it comes before the output's remap; its source has the
  /// hardware's channels, from which the input's remap selects.
  static let links: [Setting] = [.combination, .chain(.output), .echoCanceller, .chain(.input)]

  // What each of these means is at its trait.
  package func `is`(_ trait: SettingTraits) -> Bool { kind.traits.contains(trait) }
  package var isModule: Bool { `is`(.module) }
  package var isOfOthers: Bool { `is`(.others) }
  package var isOfStream: Bool { `is`(.stream) }
  package var isHint: Bool { `is`(.hint) }
  package var isLevel: Bool { `is`(.level) }

  /// The direction whose default device it is; nil of other settings.
  package var defaultDirection: Direction? { kind.defaultDirection }
  package var isDefault: Bool { defaultDirection != nil }
  var isPort: Bool { if case .port = self { true } else { false } }
  /// The rate of a device, which a pin sets.
  package var isRate: Bool { if case .rate = self { true } else { false } }
  /// The latency of a device, which a pin holds.
  package var isLatency: Bool { if case .latency = self { true } else { false } }

  /// The role of our devices of a direction for this setting; nil if it has none there.
  func role(_ direction: Direction) -> String? { kind.link?.role(direction) }

  func deviceName(_ direction: Direction) -> String {
    kind.link?.deviceName(direction) ?? Owned.name(direction)
  }

  /// The module that makes a link; nil for other settings.
  var moduleName: String? { kind.link?.moduleName }
}
