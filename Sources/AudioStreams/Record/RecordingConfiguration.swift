/// What and how to record.
public struct RecordingConfiguration: Sendable, Hashable {
  /// How to store the sound; nil chooses by the file's name.
  public var format: RecordingFormat?
  /// Hz; nil is the device's rate when the recording starts.
  public var sampleRate: Int?
  /// Which channels; by default as many as the device has.
  public var channels: CaptureChannels
  /// When to stop, to the frame; nil records until `stop()`.
  public var duration: Duration?
  /// How long a recording without a duration waits for a server that is gone; then it ends with an
  /// error, and keeps what it has. By default a minute.
  public var serverTimeout: Duration
  /// The source's name; nil follows the session's input.
  public var device: String?
  /// Whether to record the session's input when a named source is removed, instead of waiting for
  /// the source.
  public var follows: Bool
  /// The quality of the rate conversion.
  public var quality: ConversionQuality
  /// Whether a `FILE.json` that is not the list of a recording is replaced, too.
  package var replacesOtherLists = false

  /// Makes a configuration; by default the format follows the device.
  public init(
    format: RecordingFormat? = nil, sampleRate: Int? = nil, channels: CaptureChannels = .device,
    duration: Duration? = nil, device: String? = nil, quality: ConversionQuality = .high,
    follows: Bool = false, serverTimeout: Duration = .seconds(60)
  ) {
    self.format = format
    self.sampleRate = sampleRate
    self.channels = channels
    self.duration = duration
    self.device = device
    self.quality = quality
    self.follows = follows
    self.serverTimeout = serverTimeout
  }
}
