import PulseTypes

/// The format and the source of a capture.
public struct CaptureConfiguration: Sendable, Hashable {
  /// Frames per second, 8000-192000 Hz; nil is the device's rate when the capture starts.
  public var sampleRate: Int?
  /// Frames per buffer, from 1 to one second; the incomplete last buffer is dropped.
  public var frameLength: Int
  /// The channels of each frame.
  public var channels: CaptureChannels
  /// The quality of the rate conversion.
  public var quality: ConversionQuality
  /// The source's name; nil follows the session's input.
  ///
  /// If a named source is removed, the capture waits for it. Only a named source may be a monitor,
  /// which captures what an output plays.
  public var device: String?
  /// Whether to capture the session's input when a named source is removed, instead of waiting for
  /// the source.
  public var follows: Bool
  /// How long the device may collect sound before it delivers it; nil is the session's IO buffer
  /// duration, or 20 ms if that is not set.
  public var latency: Duration?
  /// How much sound is kept for a slow reader before the oldest is dropped.
  public var backlog: Duration
  /// Whether each buffer also has the device's sound before the conversion.
  public var includesRaw: Bool
  /// From which level on a buffer counts as voice, dBFS from -120 to 0 (the RMS of a buffer without
  /// its DC offset, of the loudest channel; a full-scale sine has -3). This measures energy: any
  /// sound that is loud enough counts.
  public var voiceThreshold: Double
  /// How many buffers a second has, at any rate; nil takes `frameLength`.
  package var buffersPerSecond: Int?
  /// Whether the incomplete last buffer is delivered.
  package var includesRest = false
  /// Whether a start without an input fails, also where the session's mode does not require one.
  package var needsInput = false
  /// Whether the capture ends, instead of waiting for a resume, after an interruption in which the
  /// session's mode ended.
  package var endsWithMode = false

  /// Makes a configuration; the default suits speech recognizers: 16 kHz, mono, 128 ms.
  public init(
    sampleRate: Int? = 16_000, frameLength: Int = 2048, channels: CaptureChannels = .mono,
    quality: ConversionQuality = .high, device: String? = nil, latency: Duration? = nil,
    backlog: Duration = .seconds(2), includesRaw: Bool = false, follows: Bool = false,
    voiceThreshold: Double = -45
  ) {
    self.sampleRate = sampleRate
    self.frameLength = frameLength
    self.channels = channels
    self.quality = quality
    self.device = device
    self.follows = follows
    self.latency = latency
    self.backlog = backlog
    self.includesRaw = includesRaw
    self.voiceThreshold = voiceThreshold
  }

  /// The frames of a buffer at a rate.
  func frameLength(atRate rate: Int) -> Int {
    buffersPerSecond.map { max(1, rate / $0) } ?? frameLength
  }

  /// How many buffers the backlog has at a rate.
  func mostBuffers(atRate rate: Int) -> Int {
    let length = Double(frameLength(atRate: rate))
    return Int(saturating: (backlog.seconds * Double(rate) / length).rounded(.up))
  }

  /// Throws `invalidFormat` for impossible values.
  func validate() throws(StreamError) {
    if let sampleRate, !(8000...192_000).contains(sampleRate) {
      throw StreamError(
        .invalidFormat, "a sample rate of \(sampleRate) Hz; it can be 8000 to 192000 Hz")
    }
    let longest = sampleRate ?? 192_000
    guard (1...longest).contains(frameLength) else {
      throw StreamError(
        .invalidFormat, "\(frameLength) frames in a buffer; it can be 1 to \(longest), a second")
    }
    switch channels {
    case .count(let count) where !(1...32).contains(count):
      throw StreamError(.invalidFormat, "\(count) channels; it can be 1 to 32")
    case .channel(let channel) where !(0...31).contains(channel):
      throw StreamError(.invalidFormat, "channel \(channel); it can be 0 to 31")
    default: break
    }
    if let latency, latency < .microseconds(500) || latency > .seconds(2) {
      throw StreamError(.invalidFormat, "a latency of \(latency); it can be 0.5 ms to 2 s")
    }
    guard (-120...0).contains(voiceThreshold) else {
      throw StreamError(
        .invalidFormat, "a voice threshold of \(voiceThreshold) dBFS; it can be -120 to 0 dBFS")
    }
    guard backlog > .zero, backlog <= .seconds(60) else {
      throw StreamError(.invalidFormat, "a backlog of \(backlog); it can be up to 60 s")
    }
  }
}
