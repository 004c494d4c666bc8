public import PulseTypes

/// The options for opening a stream.
public struct StreamOptions: Sendable, Hashable {
  /// Input records, output plays silence.
  public var direction: Direction
  /// The name under which the server lists the stream.
  public var name: String
  /// The device's name; nil follows the default.
  public var device: String?
  /// Format, rate and channels.
  public var spec: SampleSpec
  /// The channels' positions; nil means the default ones.
  public var channelMap: ChannelMap?
  /// The requested latency of the *device*; nil does not request one.
  ///
  /// Sets `PA_STREAM_ADJUST_LATENCY`.
  public var latency: Duration?
  /// Whether the stream starts paused.
  public var startCorked: Bool
  /// The stream's behavior.
  public var flags: StreamFlags
  /// Further properties, such as `node.force-rate`.
  public var properties: [String: String]

  /// Makes options; `latency` is that of the device.
  public init(
    direction: Direction, name: String, device: String? = nil, spec: SampleSpec,
    channelMap: ChannelMap? = nil, latency: Duration? = nil, startCorked: Bool = true,
    flags: StreamFlags = [], properties: [String: String] = [:]
  ) {
    self.direction = direction
    self.name = name
    self.device = device
    self.spec = spec
    self.channelMap = channelMap
    self.latency = latency
    self.startCorked = startCorked
    self.flags = flags
    self.properties = properties
  }
}
