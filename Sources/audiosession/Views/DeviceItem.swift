import AudioSession
import JSONCoding
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

  func encode(to encoder: any Encoder) throws {
    let members: JSONObject = [
      "kind": kind, "name": device.name, "description": device.description, "default": isDefault,
      "state": device.state, Property.sampleRate.rawValue: device.sampleSpec.rate,
      Property.channelMap.rawValue: device.channelMap,
      "format": device.sampleSpec.format, "volume": SettingValue.volume(device.volume).stateValue,
      "muted": device.isMuted, "card": card, "ports": ports,
    ]
    let patterns = device.direction == .input ? device.polarPatterns : nil
    try members.adding("polarPatterns", patterns).encode(to: encoder)
  }
}
