package import PulseTypes

/// Predicts from names what a card profile will create.
///
/// ALSA cards name a profile by its parts, `output:analog-stereo+input:analog-stereo`, and each
/// device by its part. A wrong prediction only prints a wrong name in a plan: after the profile is
/// set, the actual devices are resolved again.
extension Card {
  package var isBluetooth: Bool {
    name.hasPrefix("bluez_card") || properties["device.api"]?.hasPrefix("bluez") == true
      || properties["device.bus"] == "bluetooth"
  }

  /// The active profile's name, for people.
  var profileInUse: String { activeProfile ?? "none" }

  var active: CardProfile? { activeProfile.flatMap { profile(named: $0) } }

  func profile(named name: String) -> CardProfile? { profiles.first { $0.name == name } }

  /// The profiles that a plan may choose by itself: only usable ones, never off or pro-audio.
  var choosableProfiles: [CardProfile] {
    profiles.filter {
      $0.isAvailable && ($0.sinkCount > 0 || $0.sourceCount > 0) && $0.name != "pro-audio"
        && $0.name != "off"
    }
  }

  /// Whether its devices have one name per direction, whatever the profile: a headset's on PipeWire.
  var hasOneName: Bool { properties["device.api"] == "bluez5" }

  /// The names of a profile's devices of a direction.
  func deviceNames(_ direction: Direction, profile: CardProfile) -> [String] {
    guard profile.count(direction) > 0 else { return [] }
    if hasOneName {
      let address = name.dropFirst("bluez_card.".count)
      return [direction == .input ? "bluez_input.\(address).0" : "bluez_output.\(address).1"]
    }
    return profile.parts(direction).map { part in
      if name.hasPrefix("bluez_card.") {
        let kind = direction == .input ? "bluez_source" : "bluez_sink"
        return "\(kind).\(name.dropFirst("bluez_card.".count)).\(part)"
      }
      let kind = direction == .input ? "alsa_input" : "alsa_output"
      let suffix =
        name.hasPrefix("alsa_card.") ? name.dropFirst("alsa_card.".count) : Substring(name)
      return "\(kind).\(suffix).\(part)"
    }
  }

  /// Whether the name of a device has the card's, also where a profile's name does not tell its devices
  /// (UCM, `pro-audio`). The second of two such cards has the first one's name, and a number.
  func isNamed(in device: NamedDevice) -> Bool {
    guard name.hasPrefix("alsa_card.") else { return false }
    let kind = device.direction == .input ? "alsa_input" : "alsa_output"
    let prefix = "\(kind).\(name.dropFirst("alsa_card.".count))."
    return device.name.hasPrefix(prefix) && !device.name.dropFirst(prefix.count).contains(".")
  }

  /// Whether a profile has a device, or the sink whose monitor it is, as far as names show.
  func has(_ device: NamedDevice, in profile: CardProfile) -> Bool {
    if deviceNames(device.direction, profile: profile).contains(device.name) { return true }
    return device.direction == .input
      && deviceNames(.output, profile: profile).contains { device.name == "\($0).monitor" }
  }

  /// A device as a profile will create it; its rate, volume and port are not known yet.
  func predictedDevice(_ direction: Direction, named name: String, profile: CardProfile) -> Device {
    let map = Self.channelMap(of: isBluetooth ? profile.name : Self.mapping(of: name)) ?? .stereo
    // ALSA devices have the mapping of their card as a property; their names end with it.
    var properties = properties
    if isBluetooth {
      properties[Self.bluetoothProfileKey] = profile.name
    } else {
      properties["device.profile.name"] = Self.mapping(of: name)
    }
    return Device(
      direction: direction, index: Index(UInt32.max), name: name,
      description: properties["device.description"] ?? self.name, driver: driver,
      sampleSpec: SampleSpec(format: nil, rate: 0, channels: UInt8(clamping: map.count)),
      channelMap: map,
      card: index, ports: ports(direction, in: [profile.name]), properties: properties)
  }

  func ports(_ direction: Direction, in profiles: [String]) -> [DevicePort] {
    ports.filter { port in
      port.direction == direction && port.profiles.contains { profiles.contains($0) }
    }
  }

  /// The property with which PipeWire's Bluetooth devices name their profile; PulseAudio's have it
  /// in their names.
  static let bluetoothProfileKey = "api.bluez5.profile"

  /// Whether the channels of a device that does not exist yet are only a guess.
  static func guessesChannels(of device: Device) -> Bool {
    device.properties[bluetoothProfileKey] == nil && channelMap(of: mapping(of: device.name)) == nil
  }

  private static func mapping(of device: String) -> String {
    device.split(separator: ".").last.map(String.init) ?? device
  }

  /// The channels of a mapping of PulseAudio's `default.conf`, or of a Bluetooth profile; nil if its name
  /// does not say them.
  private static func channelMap(of name: String) -> ChannelMap? {
    let corners = ChannelMap.quad.positions
    if name.has("mono") || name.has("head") { return .mono }
    if name.has("stereo") { return .stereo }
    if name.has("surround-21") { return ChannelMap([.frontLeft, .frontRight, .lfe]) }
    if name.has("surround-40") { return .quad }
    if name.has("surround-41") { return ChannelMap(corners + [.lfe]) }
    if name.has("surround-50") { return ChannelMap(corners + [.frontCenter]) }
    if name.has("surround-71") || name.has("surround71") { return .standard(channels: 8) }
    if name.has("surround-51") || name.has("hdmi-surround") || name.has("dts-surround") {
      return .standard(channels: 6)
    }
    return nil
  }
}

extension CardProfile {
  /// Whether it is a headset's profile for calls.
  var isHandsFree: Bool { ["headset", "handsfree", "hsp", "hfp"].contains { name.has($0) } }

  /// How many devices of a direction the profile has.
  func count(_ direction: Direction) -> Int { direction == .input ? sourceCount : sinkCount }

  /// The parts of its name for a direction; the whole name if it has no parts.
  func parts(_ direction: Direction) -> [Substring] {
    let prefix = direction.rawValue + ":"
    let parts = name.split(separator: "+").filter { $0.hasPrefix(prefix) }
    if !parts.isEmpty { return parts.map { $0.dropFirst(prefix.utf8.count) } }
    return name.utf8.contains(UInt8(ascii: ":")) ? [] : [Substring(name)]
  }
}
