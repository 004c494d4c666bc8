public import PulseTypes

/// The wish: a plain value that says what the audio setup should be.
///
/// Every field is optional; nil leaves that property alone. AVAudioSession spreads the same over
/// `setCategory`, `setPreferredSampleRate`, `setPreferredInput` and the rest; here it is one value
/// that is applied whole, in one order.
public struct AudioMode: Sendable, Hashable, Codable {
  /// What the sound is for.
  public var category: Category?
  /// What kind of use it is.
  public var mode: Mode?
  /// How others are treated and which devices may be used.
  public var options: Set<CategoryOption>?
  /// Preferred sample rate, Hz, 4,000-384,000; a hint.
  public var sampleRate: Int?
  /// Preferred IO buffer duration, 0.5 ms-2 s; a hint.
  public var ioBufferDuration: BufferDuration?
  /// Hints that must be met.
  public var strict: Set<Hint>?
  /// Whether rate and buffer of PipeWire's graph are held while nobody uses the device, too: the first
  /// sound is as wished then, and the device never sleeps. PulseAudio holds the buffer always.
  public var holdsAlways: Bool?
  /// When the wish is made so again.
  public var reapply: ReapplyPolicy?
  /// The echo canceller of `voice-chat` and `video-chat`, as the server calls it; nil is `webrtc`.
  public var echoCanceller: String?
  /// Whether the echo canceller is there only while somebody records: idle it keeps the microphone
  /// running.
  public var unloadsIdleEchoCanceller: Bool?
  /// What a failed step does to those before it.
  public var onFailure: FailurePolicy?
  /// Whose streams it is about.
  public var scope: Scope?

  /// Which input, ranked.
  public var preferredInput: [DeviceMatcher]?
  /// False: wait for the input instead of failing.
  public var inputRequired: Bool?
  /// Which port of the input, ranked (AVAudioSession: data source).
  public var inputPort: [PortMatcher]?
  /// How the input listens; needs `preferredInput` and `inputPort`; not with `channelMap`.
  public var polarPattern: PolarPattern?
  /// How the device is held.
  public var inputOrientation: Orientation?
  /// Which hardware channels become which channels.
  public var channelMap: ChannelSelection?
  /// Gain of the hardware input.
  public var inputGain: Volume?
  /// Whether a gain that somebody changes is set again.
  public var gainLock: Bool?
  /// Mute of the hardware input; false acts only at an explicit apply.
  public var inputMuted: Bool?
  /// Whether streams that record elsewhere are moved to the session's input.
  public var moveInputStreams: Bool?
  /// Latency offset of the input's port.
  public var inputLatencyOffset: Duration?

  /// Which output, ranked.
  public var preferredOutput: [DeviceMatcher]?
  /// False: wait for the output instead of failing.
  public var outputRequired: Bool?
  /// Which port of the output, ranked.
  public var outputPort: [PortMatcher]?
  /// The codec of a Bluetooth output, as the server or people call it; `devices` lists them.
  public var outputCodec: String?
  /// Entry *i* names the hardware channel that plays channel *i* of the standard layout.
  public var outputChannelMap: ChannelSelection?
  /// Volume of the hardware output.
  public var outputVolume: Volume?
  /// Mute of the hardware output.
  public var outputMuted: Bool?
  /// Whether streams that play elsewhere are moved to the session's output.
  public var moveOutputStreams: Bool?
  /// Latency offset of the output's port.
  public var outputLatencyOffset: Duration?

  /// The empty wish: leaves everything alone.
  public init() {}

  /// A wish for a category, with a mode and options (AVAudioSession: `setCategory`).
  public init(
    category: Category, mode: Mode? = nil, options: Set<CategoryOption>? = nil
  ) {
    self.category = category
    self.mode = mode
    self.options = options
  }

  /// Whether the wish is made so again after a route change; false is `reapply = .never`.
  public var autoReapplyOnRouteChange: Bool {
    get { reapply != .never }
    set { reapply = newValue ? (reapply == .never ? .always : reapply) : .never }
  }
}

/// The part of a wish that is about one direction, so that input and output are planned alike.
struct DirectionWish {
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

  /// Whether anything is wished that must have a device.
  var needsDevice: Bool {
    prefer != nil || port != nil || codec != nil || polarPattern != nil || channels != nil
      || volume != nil
      || muted != nil || latencyOffset != nil || moveStreams
      || (orientation ?? .none).quarterTurns != 0
  }
}

extension AudioMode {
  /// The wishes of one direction.
  func wish(_ direction: Direction) -> DirectionWish {
    switch direction {
    case .input:
      DirectionWish(
        prefer: preferredInput, isRequired: inputRequired ?? true, port: inputPort,
        polarPattern: polarPattern, orientation: inputOrientation, channels: channelMap,
        volume: inputGain, muted: inputMuted, moveStreams: moveInputStreams ?? false,
        latencyOffset: inputLatencyOffset.map { .microseconds($0.microseconds) })
    case .output:
      DirectionWish(
        prefer: preferredOutput, isRequired: outputRequired ?? true, port: outputPort,
        codec: outputCodec, channels: outputChannelMap, volume: outputVolume, muted: outputMuted,
        moveStreams: moveOutputStreams ?? false,
        latencyOffset: outputLatencyOffset.map { .microseconds($0.microseconds) })
    }
  }

  /// The direction that sample rate and buffer duration are about: the input, but for playback.
  var hintDirection: Direction {
    if cancelsEcho { return .input }
    if category != nil { return directions.contains(.input) ? .input : .output }
    return wish(.input).needsDevice || !wish(.output).needsDevice ? .input : .output
  }

  /// Whether the wish has something to say about a direction's device.
  func concerns(_ direction: Direction) -> Bool {
    requires(direction)
      || ((sampleRate != nil || ioBufferDuration != nil) && hintDirection == direction)
  }

  /// Whether there must be a device of the direction.
  func requires(_ direction: Direction) -> Bool {
    wish(direction).needsDevice || directions.contains(direction)
  }

  /// The directions without which category and mode mean nothing.
  var directions: Set<Direction> {
    (category?.directions ?? []).union(cancelsEcho ? Direction.allCases : [])
  }

  /// Whether the mode takes out of the input what the output plays.
  var cancelsEcho: Bool { mode == .voiceChat || mode == .videoChat }
}

extension AudioMode {
  /// The wish with what it leaves open taken from another: how `extends` layers profiles.
  public func layered(over base: AudioMode) -> AudioMode {
    var result = self
    func fill<Value>(_ path: WritableKeyPath<AudioMode, Value?>) {
      if result[keyPath: path] == nil { result[keyPath: path] = base[keyPath: path] }
    }
    fill(\.category)
    fill(\.mode)
    fill(\.options)
    fill(\.sampleRate)
    fill(\.ioBufferDuration)
    fill(\.strict)
    fill(\.holdsAlways)
    fill(\.reapply)
    fill(\.echoCanceller)
    fill(\.unloadsIdleEchoCanceller)
    fill(\.onFailure)
    fill(\.scope)
    fill(\.preferredInput)
    fill(\.inputRequired)
    fill(\.inputPort)
    fill(\.polarPattern)
    fill(\.inputOrientation)
    fill(\.channelMap)
    fill(\.inputGain)
    fill(\.gainLock)
    fill(\.inputMuted)
    fill(\.moveInputStreams)
    fill(\.inputLatencyOffset)
    fill(\.preferredOutput)
    fill(\.outputRequired)
    fill(\.outputPort)
    fill(\.outputCodec)
    fill(\.outputChannelMap)
    fill(\.outputVolume)
    fill(\.outputMuted)
    fill(\.moveOutputStreams)
    fill(\.outputLatencyOffset)
    return result
  }
}
