/// Whether something is plugged into a port (libpulse: `pa_port_available_t`).
public enum PortAvailability: String, Sendable, Hashable, Codable {
  /// The hardware cannot tell; counts as available.
  case unknown
  /// Nothing is plugged in.
  case no
  /// Something is plugged in.
  case yes

  /// Whether a choice may fall on the port: yes or unknown.
  public var isUsable: Bool { self != .no }
}

/// What a port is, as PulseAudio says it (libpulse: `pa_device_port_type_t`).
public enum PortKind: UInt32, Sendable, Hashable, Codable, CaseIterable {
  case unknown = 0
  case aux, speaker, headphones, line, mic, headset, handset, earpiece, spdif, hdmi, tv, radio
  case video, usb, bluetooth, portable, handsfree, car, hifi, phone, network, analog
}

/// A connector of a device: a jack, a built-in microphone, a headset profile.
///
/// AVAudioSession calls an input's ports its *data sources*. Libpulse has the port of a device
/// (`pa_source_port_info`) and that of a card (`pa_card_port_info`), which knows more; a device's
/// port has no profiles and no latency offset.
public struct Port: Sendable, Hashable, Codable {
  /// The server's name, such as `analog-input-headset-mic`.
  public var name: String
  /// The words for people.
  public var description: String
  /// Which way the sound goes.
  public var direction: Direction
  /// The higher, the better as a default.
  public var priority: UInt32
  /// Whether something is plugged in.
  public var availability: PortAvailability
  /// Ports that share a jack share this name; nil where it is alone.
  public var availabilityGroup: String?
  /// What it is.
  public var kind: PortKind
  /// The card profiles that have this port; empty for a device's port.
  public var profiles: [String]
  /// What is added to the device's latency while the port is active; zero for a device's port.
  public var latencyOffset: Duration

  /// Makes a port from what the server says.
  public init(
    name: String, description: String = "", direction: Direction, priority: UInt32 = 0,
    availability: PortAvailability = .unknown, availabilityGroup: String? = nil,
    kind: PortKind = .unknown, profiles: [String] = [], latencyOffset: Duration = .zero
  ) {
    self.name = name
    self.description = description
    self.direction = direction
    self.priority = priority
    self.availability = availability
    self.availabilityGroup = availabilityGroup
    self.kind = kind
    self.profiles = profiles
    self.latencyOffset = latencyOffset
  }
}
