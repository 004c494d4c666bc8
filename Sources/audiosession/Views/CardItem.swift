import AudioSession
import JSONCoding
import PulseTypes

struct CardItem: Encodable {
  let card: Card

  var description: String { card.properties["device.description"] ?? card.name }

  func encode(to encoder: any Encoder) throws {
    let profiles = card.profiles.map { profile -> JSONObject in
      [
        "name": profile.name, "description": profile.description, "available": profile.isAvailable,
      ]
    }
    let ports = card.ports.map { port in
      let types = PortType.types(
        of: port, direction: port.direction, properties: card.properties, name: card.name)
      return PortItem(port: port, type: types.first, isActive: nil)
    }
    let codecs = (card.codecs ?? []).map { codec -> JSONObject in
      [
        "name": codec.name, "description": codec.description,
        "active": codec.name == card.activeCodec,
      ]
    }
    let members: JSONObject = [
      "name": card.name, "description": description, "profile": card.activeProfile,
      "profiles": profiles, "ports": ports, "codecs": codecs,
    ]
    try members.encode(to: encoder)
  }
}
