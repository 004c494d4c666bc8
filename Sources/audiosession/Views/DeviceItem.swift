import AudioSession
import PulseTypes

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
