public import PulseTypes

/// The behavior of a stream (libpulse: `pa_stream_flags_t`).
public struct StreamFlags: OptionSet, Sendable, Hashable {
  /// libpulse's bits.
  public let rawValue: UInt32

  /// Wraps libpulse's bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The channels are mapped in order, regardless of their positions.
  public static let noRemapChannels = StreamFlags(rawValue: 0x0010)
  /// Channels are not mixed up or down.
  public static let noRemix = StreamFlags(rawValue: 0x0020)
  /// The stream takes the device's format.
  public static let fixFormat = StreamFlags(rawValue: 0x0040)
  /// The stream takes the device's rate.
  public static let fixRate = StreamFlags(rawValue: 0x0080)
  /// The stream takes the device's channels.
  public static let fixChannels = StreamFlags(rawValue: 0x0100)
  /// Neither clients nor the server can move the stream; it ends with its device.
  public static let dontMove = StreamFlags(rawValue: 0x0200)
  /// Its rate can be changed later; it never changes the device's.
  public static let variableRate = StreamFlags(rawValue: 0x0400)
  /// The stream delivers peaks, for a level meter.
  public static let peakDetect = StreamFlags(rawValue: 0x0800)
  /// It starts muted.
  public static let startMuted = StreamFlags(rawValue: 0x1000)
  /// The latency applies only to the stream's buffer; the device's is unchanged.
  public static let earlyRequests = StreamFlags(rawValue: 0x4000)
  /// The device may suspend while the stream runs.
  public static let dontInhibitAutoSuspend = StreamFlags(rawValue: 0x8000)
  /// The stream fails when its device suspends.
  public static let failOnSuspend = StreamFlags(rawValue: 0x20000)
}

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
  /// Sets `PA_STREAM_ADJUST_LATENCY`, unless `flags` contains `earlyRequests`.
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

/// The sizes of a stream's buffers on the server, in bytes of its spec (libpulse: `pa_buffer_attr`).
public struct BufferAttributes: Sendable, Hashable {
  /// The maximum length of the buffer.
  public var maxLength: UInt32
  /// Playback: the fill level that the server maintains.
  public var targetLength: UInt32
  /// Playback: the fill level at which it starts.
  public var prebuffer: UInt32
  /// Playback: the minimum that the server requests at once.
  public var minimumRequest: UInt32
  /// Record: the size of each delivery.
  public var fragmentSize: UInt32

  /// Makes sizes; by default the server chooses each.
  public init(
    maxLength: UInt32 = .max, targetLength: UInt32 = .max, prebuffer: UInt32 = .max,
    minimumRequest: UInt32 = .max, fragmentSize: UInt32 = .max
  ) {
    self.maxLength = maxLength
    self.targetLength = targetLength
    self.prebuffer = prebuffer
    self.minimumRequest = minimumRequest
    self.fragmentSize = fragmentSize
  }

  /// Makes the sizes that request a latency from the device.
  ///
  /// PulseAudio gives the device a record stream's fragment, and (target - 2 · request) / 2 of a
  /// playback stream: so a request is one latency, and the target four.
  public init(deviceLatency: Duration, _ direction: Direction, _ spec: SampleSpec) {
    let bytes = UInt32(clamping: spec.bytes(for: deviceLatency))
    switch direction {
    case .input: self.init(fragmentSize: bytes)
    case .output:
      let (target, overflow) = bytes.multipliedReportingOverflow(by: 4)
      self.init(targetLength: overflow ? .max : target, minimumRequest: bytes)
    }
  }

  /// The device's latency according to these *granted* sizes.
  ///
  /// A granted playback target is the requested one minus the device's latency, which leaves target
  /// - 2 · request.
  public func grantedLatency(_ direction: Direction, _ spec: SampleSpec) -> Duration {
    switch direction {
    case .input: spec.duration(ofBytes: Int(fragmentSize))
    case .output:
      spec.duration(ofBytes: max(0, Int(targetLength) - 2 * Int(minimumRequest)))
    }
  }
}
