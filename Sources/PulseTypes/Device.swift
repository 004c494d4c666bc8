/// What a device is doing (libpulse: `pa_sink_state_t`, `pa_source_state_t`).
public enum DeviceState: String, Sendable, Hashable, Codable {
  case running, idle, suspended, unknown
}

/// What a device can do, as its driver says (libpulse: `pa_sink_flags_t`, `pa_source_flags_t`).
public struct DeviceFlags: OptionSet, Sendable, Hashable, Codable {
  /// The server's bits.
  public let rawValue: UInt32

  /// Wraps the server's bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The volume is the hardware's.
  public static let hardwareVolume = DeviceFlags(rawValue: 0x0001)
  /// The latency can be asked for.
  public static let latency = DeviceFlags(rawValue: 0x0002)
  /// It is hardware, not something virtual.
  public static let hardware = DeviceFlags(rawValue: 0x0004)
  /// It goes over a network.
  public static let network = DeviceFlags(rawValue: 0x0008)
  /// Mute is the hardware's.
  public static let hardwareMute = DeviceFlags(rawValue: 0x0010)
  /// The latency follows what the streams ask for.
  public static let dynamicLatency = DeviceFlags(rawValue: 0x0080)
}

/// A sink or a source of the server (libpulse: `pa_sink_info`, `pa_source_info`).
///
/// One type for both: what differs is `direction`, and `monitor`. The latency at this moment is not
/// part of it: that is a measurement and not state, and a stream gives it.
public struct Device: Sendable, Hashable, Codable {
  /// Input for a source, output for a sink.
  public var direction: Direction
  /// The server's number, inside one snapshot and one direction.
  public var index: Index<Device>
  /// The server's name, such as `alsa_input.pci-0000_00_1f.3.analog-stereo`.
  public var name: String
  /// The words for people.
  public var description: String
  /// The source file of the driver, such as `module-null-sink.c`.
  public var driver: String
  /// Format, rate and channels now.
  public var sampleSpec: SampleSpec
  /// The positions of its channels.
  public var channelMap: ChannelMap
  /// The module that made it.
  public var ownerModule: Index<Module>?
  /// The card it belongs to.
  public var card: Index<Card>?
  /// Of a source: the name of the sink it listens to. Of a sink: the name of its monitor source.
  public var monitor: String?
  /// The volume of each channel.
  public var volume: ChannelVolumes
  /// Whether it is muted.
  public var isMuted: Bool
  /// Running, idle, suspended.
  public var state: DeviceState
  /// What it can do.
  public var flags: DeviceFlags
  /// The latency its streams made it take; zero when suspended, and always on pipewire-pulse.
  public var configuredLatency: Duration
  /// Its connectors.
  public var ports: [Port]
  /// The name of the port in use.
  public var activePort: String?
  /// The server's property list.
  public var properties: [String: String]

  /// Makes a device from what the server says.
  public init(
    direction: Direction, index: Index<Device>, name: String, description: String = "",
    driver: String = "", sampleSpec: SampleSpec, channelMap: ChannelMap,
    ownerModule: Index<Module>? = nil, card: Index<Card>? = nil, monitor: String? = nil,
    volume: ChannelVolumes? = nil, isMuted: Bool = false, state: DeviceState = .idle,
    flags: DeviceFlags = [], configuredLatency: Duration = .zero, ports: [Port] = [],
    activePort: String? = nil, properties: [String: String] = [:]
  ) {
    self.direction = direction
    self.index = index
    self.name = name
    self.description = description
    self.driver = driver
    self.sampleSpec = sampleSpec
    self.channelMap = channelMap
    self.ownerModule = ownerModule
    self.card = card
    self.monitor = monitor
    self.volume = volume ?? ChannelVolumes(.norm, channels: channelMap.count)
    self.isMuted = isMuted
    self.state = state
    self.flags = flags
    self.configuredLatency = configuredLatency
    self.ports = ports
    self.activePort = activePort
    self.properties = properties
  }

  /// Whether it is a source that listens to a sink.
  public var isMonitor: Bool { direction == .input && monitor != nil }
}
