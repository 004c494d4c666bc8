public import PulseTypes

/// Describes the audio setup that a session applies; a plain value.
///
/// Every field is optional; nil leaves that property alone. AVAudioSession has `setCategory`,
/// `setPreferredSampleRate`, `setPreferredInput` and more for the same purpose; here it is one
/// value, which is applied as a whole in one order.
public struct AudioMode: Sendable, Hashable, Codable {
  /// The category: which directions are used.
  public var category: Category?
  /// The kind of use.
  public var mode: Mode?
  /// How other programs' streams are treated, and which devices may be used.
  public var options: Set<CategoryOption>?
  /// The preferred sample rate in Hz, 4,000-384,000; a hint.
  public var sampleRate: Int?
  /// The preferred IO buffer duration, 0.5 ms-2 s; a hint.
  public var ioBufferDuration: BufferDuration?
  /// Hints that must be met.
  public var strict: Set<Hint>?
  /// Whether PipeWire's rate and buffer are held even while no stream uses the device: the first
  /// sound then has the preferred values, and the device never sleeps. PulseAudio always holds the
  /// buffer.
  public var holdsAlways: Bool?
  /// When the session applies the mode again.
  public var reapply: ReapplyPolicy?
  /// The method of the echo canceller of `voice-chat` and `video-chat`, by the server's name; nil
  /// is `webrtc`.
  public var echoCanceller: String?
  /// Whether the echo canceller is loaded only while a program records; loaded, it keeps the
  /// microphone running even when idle.
  public var unloadsIdleEchoCanceller: Bool?
  /// How a failed step affects those before it.
  public var onFailure: FailurePolicy?
  /// Whose streams the session controls.
  public var scope: Scope?

  /// The inputs to use, most preferred first.
  public var preferredInput: [DeviceMatcher]?
  /// Whether a missing input is an error; false waits for the input instead. Nil is true.
  public var inputRequired: Bool?
  /// The ports of the input to use, most preferred first (AVAudioSession: data source).
  public var inputPort: [PortMatcher]?
  /// The polar pattern; needs `preferredInput` and `inputPort`, and excludes `channelMap`.
  public var polarPattern: PolarPattern?
  /// How the user holds the device.
  public var inputOrientation: Orientation?
  /// The hardware channels that become the session's channels.
  public var channelMap: ChannelSelection?
  /// The gain of the hardware input.
  public var inputGain: Volume?
  /// Whether the session sets the gain again after another program changed it.
  public var gainLock: Bool?
  /// Mute of the hardware input; false takes effect only in an explicit apply.
  public var inputMuted: Bool?
  /// Whether streams that record from other devices are moved to the session's input.
  public var moveInputStreams: Bool?
  /// The latency offset of the input's port.
  public var inputLatencyOffset: Duration?

  /// The outputs to use, most preferred first.
  public var preferredOutput: [DeviceMatcher]?
  /// Whether a missing output is an error; false waits for the output instead. Nil is true.
  public var outputRequired: Bool?
  /// The ports of the output to use, most preferred first.
  public var outputPort: [PortMatcher]?
  /// The codec of a Bluetooth output, by the server's or its common name; `devices` lists them.
  public var outputCodec: String?
  /// Entry *i* names the hardware channel that plays channel *i* of the standard layout.
  public var outputChannelMap: ChannelSelection?
  /// The volume of the hardware output.
  public var outputVolume: Volume?
  /// Mute of the hardware output.
  public var outputMuted: Bool?
  /// Whether streams that play on other devices are moved to the session's output.
  public var moveOutputStreams: Bool?
  /// The latency offset of the output's port.
  public var outputLatencyOffset: Duration?

  /// Makes an empty mode, which leaves everything alone.
  public init() {}

  /// Makes a mode for a category, with a mode of use and options (AVAudioSession: `setCategory`).
  public init(category: Category, mode: Mode? = nil, options: Set<CategoryOption>? = nil) {
    self.category = category
    self.mode = mode
    self.options = options
  }

  /// Whether the mode is applied again after a route change; false is `reapply = .never`.
  public var autoReapplyOnRouteChange: Bool {
    get { reapply != .never }
    set { reapply = newValue ? (reapply == .never ? .always : reapply) : .never }
  }
}

/// The part of a mode for one direction, so that input and output are planned alike.
struct DirectionPreferences {
  var prefer: [DeviceMatcher]?
  var isRequired: Bool
  var port: [PortMatcher]?
  var codec: String?
  var polarPattern: PolarPattern?
  var orientation: Orientation?
  var channels: ChannelSelection?
  var volume: Volume?
  var muted: Bool?
  var moveStreams: Bool
  var latencyOffset: Duration?

  var needsDevice: Bool {
    prefer != nil || port != nil || codec != nil || polarPattern != nil || channels != nil
      || volume != nil
      || muted != nil || latencyOffset != nil || moveStreams
      || (orientation ?? .none).quarterTurns != 0
  }
}

extension AudioMode {
  func preferences(_ direction: Direction) -> DirectionPreferences {
    switch direction {
    case .input:
      DirectionPreferences(
        prefer: preferredInput, isRequired: inputRequired ?? true, port: inputPort,
        polarPattern: polarPattern, orientation: inputOrientation, channels: channelMap,
        volume: inputGain, muted: inputMuted, moveStreams: moveInputStreams ?? false,
        latencyOffset: inputLatencyOffset.map { .microseconds($0.microseconds) })
    case .output:
      DirectionPreferences(
        prefer: preferredOutput, isRequired: outputRequired ?? true, port: outputPort,
        codec: outputCodec, channels: outputChannelMap, volume: outputVolume, muted: outputMuted,
        moveStreams: moveOutputStreams ?? false,
        latencyOffset: outputLatencyOffset.map { .microseconds($0.microseconds) })
    }
  }

  /// The direction to which sample rate and buffer duration apply: the output if only the output is
  /// used, otherwise the input.
  var hintDirection: Direction {
    if cancelsEcho { return .input }
    if category != nil { return directions.contains(.input) ? .input : .output }
    return preferences(.input).needsDevice || !preferences(.output).needsDevice ? .input : .output
  }

  /// Whether the mode has preferences for a direction's device.
  func concerns(_ direction: Direction) -> Bool {
    requires(direction)
      || ((sampleRate != nil || ioBufferDuration != nil) && hintDirection == direction)
  }

  /// Whether a device of the direction must exist.
  func requires(_ direction: Direction) -> Bool {
    preferences(direction).needsDevice || directions.contains(direction)
  }

  /// The directions that category and mode require.
  var directions: Set<Direction> {
    (category?.directions ?? []).union(cancelsEcho ? Direction.allCases : [])
  }

  /// Whether the mode removes the output's sound from the input.
  package var cancelsEcho: Bool { mode == .voiceChat || mode == .videoChat }
}

extension AudioMode {
  /// Returns the mode with its unset fields taken from another one, as `extends` does with
  /// profiles. Of a channel map and a polar pattern, which exclude each other, its own replaces either.
  package func layered(over base: AudioMode) -> AudioMode {
    var (result, base) = (self, base)
    if channelMap != nil { base.polarPattern = nil }
    if polarPattern != nil { base.channelMap = nil }
    for row in Property.rows { row.fill(&result, base) }
    return result
  }

  /// Checks all that can be known without a server.
  ///
  /// Throws `SessionError` with stage `configuration` for the first thing that is wrong.
  public func validate() throws(SessionError) {
    for row in Property.rows { try row.validate(self) }
  }
}
