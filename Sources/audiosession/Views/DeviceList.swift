import AudioSession
import JSONCoding
import PulseTypes

/// The JSON of `devices`; the help of the command describes its keys.
struct DeviceList: Encodable {
  let schema = 1
  let inputs: [DeviceItem]
  let outputs: [DeviceItem]
  let cards: [CardItem]

  /// - Parameter isWhole: whether to include monitors and the session's own devices.
  init(_ snapshot: ServerSnapshot, isWhole: Bool) {
    inputs = Self.items(.input, snapshot, isWhole)
    outputs = Self.items(.output, snapshot, isWhole)
    cards = snapshot.cards.map(CardItem.init)
  }

  private static func items(
    _ direction: Direction, _ snapshot: ServerSnapshot, _ isWhole: Bool
  ) -> [DeviceItem] {
    let devices = isWhole ? snapshot.devices(direction) : snapshot.hardware(direction)
    let route = snapshot.chain.defaultRoot(direction)?.name
    return devices.map { device in
      DeviceItem(
        device: device,
        kind: snapshot.isOwned(device) ? .own : device.isMonitor ? .monitor : .hardware,
        isDefault: device.name == route, card: snapshot.card(of: device)?.name)
    }
  }
}

/// A source or a sink.
struct DeviceItem: Encodable {
  /// To which group it belongs.
  enum Kind: String, Encodable { case hardware, monitor, own }

  let device: Device
  let kind: Kind
  let isDefault: Bool
  let card: String?

  var ports: [PortItem] {
    device.ports.map { port in
      PortItem(
        port: port, type: device.portTypes(port).first, isActive: port.name == device.activePort)
    }
  }

  private enum Key: String, CodingKey {
    case name, description, `default`, kind, state, sampleRate, format, channelMap, volume, muted
    case card, ports, polarPatterns
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(kind, forKey: .kind)
    try values.encode(device.name, forKey: .name)
    try values.encode(device.description, forKey: .description)
    try values.encode(isDefault, forKey: .default)
    try values.encode(device.state, forKey: .state)
    try values.encode(device.sampleSpec.rate, forKey: .sampleRate)
    try values.encode(device.channelMap, forKey: .channelMap)
    try values.encode(device.sampleSpec.format, forKey: .format)
    try values.encode(
      SettingValue.volume(device.volume).stateValue, forKey: .volume)
    try values.encode(device.isMuted, forKey: .muted)
    try values.encode(card, forKey: .card)
    try values.encode(ports, forKey: .ports)
    guard device.direction == .input else { return }
    try values.encode(device.polarPatterns, forKey: .polarPatterns)
  }
}

/// A port.
struct PortItem: Encodable {
  let port: DevicePort
  let type: PortType?
  let isActive: Bool?

  private enum Key: String, CodingKey { case name, description, type, availability, active }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(port.name, forKey: .name)
    try values.encode(port.description, forKey: .description)
    try values.encode(type, forKey: .type)
    try values.encode(port.availability, forKey: .availability)
    try values.encodeIfPresent(isActive, forKey: .active)
  }
}

/// A sound card.
struct CardItem: EncodableWithNulls {
  struct Profile: Encodable {
    let name: String
    let description: String
    let available: Bool
  }

  struct Codec: Encodable {
    let name: String
    let description: String
    let active: Bool
  }

  let name: String
  let description: String
  let profile: String?
  let profiles: [Profile]
  let ports: [PortItem]
  let codecs: [Codec]

  init(_ card: Card) {
    name = card.name
    description = card.properties["device.description"] ?? card.name
    profile = card.activeProfile
    profiles = card.profiles.map {
      Profile(name: $0.name, description: $0.description, available: $0.isAvailable)
    }
    ports = card.ports.map { port in
      let types = PortType.types(
        of: port, direction: port.direction, properties: card.properties, name: card.name)
      return PortItem(port: port, type: types.first, isActive: nil)
    }
    codecs = (card.codecs ?? []).map {
      Codec(name: $0.name, description: $0.description, active: $0.name == card.activeCodec)
    }
  }
}
