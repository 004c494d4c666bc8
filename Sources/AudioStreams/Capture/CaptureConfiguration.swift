/// What a capture gives.
public struct CaptureConfiguration: Sendable, Hashable {
  /// Frames in a second, Hz, 8000-192000; nil is the device's rate when the capture starts.
  public var sampleRate: Int?
  /// Frames in each buffer, 1 up to a second; the last buffer before an end is dropped.
  public var frameLength: Int
  /// The channels of each frame.
  public var channels: CaptureChannels
  /// How well the rate is converted.
  public var quality: ConversionQuality
  /// The source's name; nil is the session's input, also when that changes.
  ///
  /// A named source is waited for when it goes. Only a named source may be a monitor, which hears
  /// what is played.
  public var device: String?
  /// Whether a named source that goes is not waited for, but the session's input is captured from then
  /// on.
  public var follows: Bool
  /// How long the device may collect before it hands on; nil is the session's IO buffer duration,
  /// and 20 ms where that is not set.
  public var latency: Duration?
  /// How much sound waits for a slow consumer before the oldest is dropped.
  public var backlog: Duration
  /// Whether each buffer brings what the device gave, beside the converted samples.
  public var includesRaw: Bool
  /// Whether the last buffer before an end is handed on, although it is shorter.
  package var includesRest = false

  /// Makes a configuration; the default is what speech recognisers want: 16 kHz, mono, 128 ms.
  public init(
    sampleRate: Int? = 16_000, frameLength: Int = 2048, channels: CaptureChannels = .mono,
    quality: ConversionQuality = .high, device: String? = nil, latency: Duration? = nil,
    backlog: Duration = .seconds(2), includesRaw: Bool = false, follows: Bool = false
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
  }

  /// Throws `invalidFormat` for what can never be.
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
    guard backlog > .zero, backlog <= .seconds(60) else {
      throw StreamError(.invalidFormat, "a backlog of \(backlog); it can be up to 60 s")
    }
  }
}
