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

  /// The format for a file name: FLAC for `.flac` or `.FLAC`, otherwise WAV.
  public init(path: String) { self = path.lowercased().hasSuffix(".flac") ? .flac16 : .wav16 }

  var isFLAC: Bool { self == .flac16 || self == .flac24 }

  /// Bytes per sample before compression.
  package var sampleBytes: Int {
    switch self {
    case .wav16, .flac16: 2
    case .wav24, .flac24: 3
    case .wav32, .wavFloat: 4
    }
  }

  /// Why a file cannot have a number of channels; nil if it can.
  package func refusal(ofChannels count: Int) -> String? {
    isFLAC && count > 8 ? "FLAC has up to 8 channels, not \(count); use WAV" : nil
  }

  /// The most bytes that a file can have; nil without a limit. A WAV's sizes have 32 bits.
  package var mostBytes: Double? { isFLAC ? nil : 4_294_967_295 }

  #if SNDFILE
    /// libsndfile's number of it; a WAV of which the header names the channels has another one.
    func native(namesChannels: Bool) -> Int32 {
      let subtype =
        switch self {
        case .wav16, .flac16: SF_FORMAT_PCM_16
        case .wav24, .flac24: SF_FORMAT_PCM_24
        case .wav32: SF_FORMAT_PCM_32
        case .wavFloat: SF_FORMAT_FLOAT
        }
      let kind = isFLAC ? SF_FORMAT_FLAC : namesChannels ? SF_FORMAT_WAVEX : SF_FORMAT_WAV
      return Int32(kind) | Int32(subtype)
    }
  #endif
}
