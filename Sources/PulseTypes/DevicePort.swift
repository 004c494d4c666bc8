/// A connector of a device: a jack, a built-in microphone, a headset profile.
///
/// AVAudioSession calls an input's ports its *data sources*. libpulse has a device's port
/// (`pa_source_port_info`) and a card's port (`pa_card_port_info`), which has more information; a
/// device's port has no profiles and no latency offset.
public struct DevicePort: Sendable, Hashable, Codable {
  /// The server's name, such as `analog-input-headset-mic`.
  public var name: String
  /// The description for users.
  public var description: String
  /// The direction of the sound.
  public var direction: Direction
  /// The priority as a default; the highest is the best.
  public var priority: UInt32
  /// Whether something is plugged in.
  public var availability: PortAvailability
  /// The kind of port.
  public var kind: PortKind
  /// The card profiles that have this port; empty for a device's port.
  package var profiles: [String]
  /// The offset added to the device's latency while the port is active; zero for a device's port.
  public var latencyOffset: Duration

  package init(
    name: String, description: String = "", direction: Direction, priority: UInt32 = 0,
    availability: PortAvailability = .unknown, kind: PortKind = .unknown, profiles: [String] = [],
    latencyOffset: Duration = .zero
  ) {
    self.name = name
    self.description = description
    self.direction = direction
    self.priority = priority
    self.availability = availability
    self.kind = kind
    self.profiles = profiles
    self.latencyOffset = latencyOffset
  }
}
