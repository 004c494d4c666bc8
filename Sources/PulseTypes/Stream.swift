/// A stream of some client: a source output (input) or a sink input (output)
/// (libpulse: `pa_source_output_info`, `pa_sink_input_info`).
public struct Stream: Sendable, Hashable, Codable {
  /// Input for a source output, output for a sink input.
  public var direction: Direction
  /// The server's index, valid within one snapshot and one direction.
  public var index: Index<Stream>
  /// The client's name for it.
  public var name: String
  /// The client that it belongs to; nil for a module's stream.
  public var client: Index<Client>?
  /// The module that it belongs to; nil for a client's stream.
  public var ownerModule: Index<Module>?
  /// The device that it is connected to; nil while it moves.
  public var device: Index<Device>?
  /// Format, rate and channels.
  public var sampleSpec: SampleSpec
  /// The positions of its channels; for a remap's stream, the channels that it takes from its
  /// master.
  public var channelMap: ChannelMap
  /// The volume of each channel; nil if the stream has none.
  public var volume: ChannelVolumes?
  /// Whether it is muted.
  public var isMuted: Bool
  /// Whether it is paused.
  public var isCorked: Bool
  /// The resampling method; `peaks` for a level meter.
  public var resampleMethod: String?
  /// The source file of the driver, such as `protocol-native.c`.
  public var driver: String
  /// The server's property list.
  public var properties: [String: String]

  package init(
    direction: Direction, index: Index<Stream>, name: String = "", client: Index<Client>? = nil,
    ownerModule: Index<Module>? = nil, device: Index<Device>?, sampleSpec: SampleSpec,
    channelMap: ChannelMap, volume: ChannelVolumes? = nil, isMuted: Bool = false,
    isCorked: Bool = false, resampleMethod: String? = nil, driver: String = "",
    properties: [String: String] = [:]
  ) {
    self.direction = direction
    self.index = index
    self.name = name
    self.client = client
    self.ownerModule = ownerModule
    self.device = device
    self.sampleSpec = sampleSpec
    self.channelMap = channelMap
    self.volume = volume
    self.isMuted = isMuted
    self.isCorked = isCorked
    self.resampleMethod = resampleMethod
    self.driver = driver
    self.properties = properties
  }
}
