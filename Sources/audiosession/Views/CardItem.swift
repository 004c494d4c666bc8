import AudioSession
import JSONCoding
import PulseTypes

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
