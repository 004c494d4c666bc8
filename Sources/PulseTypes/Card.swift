/// One way a card can be used: which sinks and sources it has (libpulse: `pa_card_profile_info2`).
public struct CardProfile: Sendable, Hashable, Codable {
  /// The server's name, such as `output:analog-stereo+input:analog-stereo`.
  public var name: String
  /// The description for users.
  public var description: String
  /// How many sinks the profile has.
  public var sinkCount: Int
  /// How many sources the profile has.
  public var sourceCount: Int
  /// The priority as a default; the highest is the best.
  public var priority: UInt32
  /// Whether the hardware reports that it can be used now.
  public var isAvailable: Bool

  /// Makes a profile from the server's values.
  package init(
    name: String, description: String = "", sinkCount: Int, sourceCount: Int, priority: UInt32,
    isAvailable: Bool = true
  ) {
    self.name = name
    self.description = description
    self.sinkCount = sinkCount
    self.sourceCount = sourceCount
    self.priority = priority
    self.isAvailable = isAvailable
  }
}

/// A Bluetooth codec that a card offers.
public struct Codec: Sendable, Hashable, Codable {
  /// A stable name: PulseAudio's, such as `aptx`; pipewire-pulse numbers codecs, so there it is the
  /// description.
  public var name: String
  /// The description for users, such as `aptX`.
  public var description: String
  /// The server's own identifier: the name, or a number.
  package var serverName: String

  /// Makes a codec from the server's values.
  package init(name: String, description: String = "") {
    let isNumber = !name.isEmpty && name.utf8.allSatisfy((UInt8(ascii: "0")...57).contains)
    self.name = isNumber && !description.isEmpty ? description : name
    self.description = description
    serverName = name
  }
}

/// A sound card, with its profiles and ports; sinks and sources belong to it (libpulse:
/// `pa_card_info`).
public struct Card: Sendable, Hashable, Codable {
  /// The server's index, valid within one snapshot.
  public var index: Index<Card>
  /// The server's name, such as `alsa_card.pci-0000_00_1f.3`.
  public var name: String
  /// The module that made it.
  public var ownerModule: Index<Module>?
  /// The source file of the driver, such as `module-alsa-card.c`.
  public var driver: String
  /// The profiles, in the server's order.
  public var profiles: [CardProfile]
  /// The name of the profile in use.
  public var activeProfile: String?
  /// Its connectors, of both directions.
  public var ports: [DevicePort]
  /// The server's property list.
  public var properties: [String: String]
  /// The codecs on its active profile; nil if the server does not report them.
  public var codecs: [Codec]?
  /// The name of the codec in use.
  public var activeCodec: String?

  /// Makes a card from the server's values.
  package init(
    index: Index<Card>, name: String, ownerModule: Index<Module>? = nil, driver: String = "",
    profiles: [CardProfile], activeProfile: String?, ports: [DevicePort] = [],
    properties: [String: String] = [:]
  ) {
    self.index = index
    self.name = name
    self.ownerModule = ownerModule
    self.driver = driver
    self.profiles = profiles
    self.activeProfile = activeProfile
    self.ports = ports
    self.properties = properties
  }
}
