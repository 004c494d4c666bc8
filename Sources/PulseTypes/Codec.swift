/// A Bluetooth codec that a card offers.
public struct Codec: Sendable, Hashable, Codable {
  /// A stable name: PulseAudio's, such as `aptx`; pipewire-pulse numbers codecs, so there it is the
  /// description.
  public var name: String
  /// The description for users, such as `aptX`.
  public var description: String
  /// The server's own identifier: the name, or a number.
  package var serverName: String

  package init(name: String, description: String = "") {
    let isNumber = !name.isEmpty && name.utf8.allSatisfy((UInt8(ascii: "0")...57).contains)
    self.name = isNumber && !description.isEmpty ? description : name
    self.description = description
    serverName = name
  }
}
