/// A sink or a source of the server (libpulse: `pa_sink_info`, `pa_source_info`).
///
/// One type for both: they differ in `direction` and `monitor`. The momentary latency is not
/// included, because it is a measurement and not state; a stream reports it.
public struct Device: Sendable, Hashable, Codable {
  /// Input for a source, output for a sink.
  public var direction: Direction
  /// The server's index, valid within one snapshot and one direction.
  package var index: Index<Device>
  /// The server's name, such as `alsa_input.pci-0000_00_1f.3.analog-stereo`.
  public var name: String
  /// The description for users.
  public var description: String
  /// The source file of the driver, such as `module-null-sink.c`.
  package var driver: String
  /// The current format, rate and channels.
  public var sampleSpec: SampleSpec
  /// The positions of its channels.
  public var channelMap: ChannelMap
  /// The module that made it.
  package var ownerModule: Index<Module>?
  /// The card it belongs to.
  package var card: Index<Card>?
  /// For a source, the name of the sink it monitors; for a sink, the name of its monitor source.
  public var monitor: String?
  /// The volume of each channel.
  public var volume: ChannelVolumes
  /// What the server reports as the number of its volumes (libpulse: `n_volume_steps`); PipeWire reports
  /// 65,536 divided by that number.
  package var volumeSteps: UInt32?
  /// Whether it is muted.
  public var isMuted: Bool
  /// Running, idle, suspended.
  public var state: DeviceState
  /// Its capabilities.
  package var flags: DeviceFlags
  /// The latency that its streams made it use; zero when suspended, and always zero on
  /// pipewire-pulse.
  public var configuredLatency: Duration
  /// Its ports.
  public var ports: [DevicePort]
  /// The name of the port in use.
  public var activePort: String?
  /// The server's property list.
  public var properties: [String: String]

  package init(
    direction: Direction, index: Index<Device>, name: String, description: String = "",
    driver: String = "", sampleSpec: SampleSpec, channelMap: ChannelMap,
    ownerModule: Index<Module>? = nil, card: Index<Card>? = nil, monitor: String? = nil,
    volume: ChannelVolumes? = nil, volumeSteps: UInt32? = nil, isMuted: Bool = false,
    state: DeviceState = .idle, flags: DeviceFlags = [], configuredLatency: Duration = .zero,
    ports: [DevicePort] = [], activePort: String? = nil,
    properties: [String: String] = [:]
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
    self.volumeSteps = volumeSteps
    self.isMuted = isMuted
    self.state = state
    self.flags = flags
    self.configuredLatency = configuredLatency
    self.ports = ports
    self.activePort = activePort
    self.properties = properties
  }

  /// Whether it is hardware: by its flags, or as a device of a card.
  package var isHardware: Bool { flags.contains(.hardware) || card != nil }

  /// Whether it is a source that monitors a sink.
  public var isMonitor: Bool { direction == .input && monitor != nil }
}
