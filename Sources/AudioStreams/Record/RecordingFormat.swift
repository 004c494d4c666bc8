#if SNDFILE
  import CSndFile
#endif

/// How a recording is stored.
public enum RecordingFormat: String, Sendable, Hashable, Codable, CaseIterable {
  /// WAV with 16-bit samples.
  case wav16
  /// WAV with 24-bit samples.
  case wav24
  /// WAV with 32-bit integers.
  case wav32
  /// WAV with 32-bit floating-point samples: nothing is clipped.
  case wavFloat = "wav-float"
  /// FLAC with 16-bit samples.
  case flac16
  /// FLAC with 24-bit samples.
  case flac24

  /// The format for a file name: FLAC for `.flac`, otherwise WAV.
  public init(path: String) { self = path.hasSuffix(".flac") ? .flac16 : .wav16 }

  var isFLAC: Bool { self == .flac16 || self == .flac24 }

  /// Bytes per sample before compression.
  package var sampleBytes: Int {
    switch self {
    case .wav16, .flac16: 2
    case .wav24, .flac24: 3
    case .wav32, .wavFloat: 4
    }
  }

  /// The most bytes that a file can have; nil without a limit. A WAV's sizes have 32 bits.
  package var mostBytes: Double? { isFLAC ? nil : 4_294_967_295 }

  #if SNDFILE
    /// libsndfile's number of it.
    var native: Int32 {
      let subtype =
        switch self {
        case .wav16, .flac16: SF_FORMAT_PCM_16
        case .wav24, .flac24: SF_FORMAT_PCM_24
        case .wav32: SF_FORMAT_PCM_32
        case .wavFloat: SF_FORMAT_FLOAT
        }
      return Int32(isFLAC ? SF_FORMAT_FLAC : SF_FORMAT_WAV) | Int32(subtype)
    }
  #endif
}

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

/// A source that was recorded.
public struct RecordedInput: Sendable, Hashable, Codable {
  /// The position of its first frame.
  public var position: Int64
  /// Its name.
  public var device: String
}

/// The progress of a recording.
public struct RecordingProgress: Sendable, Hashable {
  /// Frames in the file, silence for missing ones included.
  public var frames: Int64 = 0
  /// Hz; 0 before the first buffer.
  public var sampleRate = 0
  /// Samples in a frame.
  public var channels = 0
  /// The gaps that were filled with silence.
  public var missing: [MissingFrames] = []
  /// The sources of the sound, in order.
  public var inputs: [RecordedInput] = []
  /// The root mean square of the last buffer; full scale is 1.
  public var rms: Float = 0
  /// The greatest magnitude in the last buffer.
  public var peak: Float = 0
  /// The greatest magnitude in the file; 0 is nothing but silence.
  public var highestPeak: Float = 0

  /// The frames as time.
  public var duration: Duration {
    sampleRate == 0 ? .zero : .seconds(Double(frames) / Double(sampleRate))
  }
}
