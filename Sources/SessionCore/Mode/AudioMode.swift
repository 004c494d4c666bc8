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

extension AudioMode {
  /// Returns the mode with its unset fields taken from another one, as `extends` does with
  /// profiles. Of two properties that exclude each other, its own replaces either.
  package func layered(over base: AudioMode) -> AudioMode {
    var (result, base) = (self, base)
    for row in Property.rows {
      guard let other = row.excludes?.property.row else { continue }
      if row.isSet(self) { other.clear(&base) }
      if other.isSet(self) { row.clear(&base) }
    }
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
