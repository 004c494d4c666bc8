import AudioSession
import JSONCoding
import PulseTypes

struct PortItem: Encodable {
  let port: DevicePort
  let type: PortType?
  let isActive: Bool?

  func encode(to encoder: any Encoder) throws {
    let members: JSONObject = [
      "name": port.name, "description": port.description, "type": type,
      "availability": port.availability,
    ]
    try members.adding("active", isActive).encode(to: encoder)
  }
}
