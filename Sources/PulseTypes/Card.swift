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
