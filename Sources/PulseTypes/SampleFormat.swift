/// The format of one sample; the names are PulseAudio's.
public enum SampleFormat: String, Sendable, Hashable, Codable, CaseIterable {
  case u8, aLaw, uLaw, s16le, s16be, float32le, float32be, s32le, s32be, s24le, s24be
  case s24in32le = "s24-32le"
  case s24in32be = "s24-32be"

  /// The size of one sample in bytes.
  public var bytes: Int {
    switch self {
    case .u8, .aLaw, .uLaw: 1
    case .s16le, .s16be: 2
    case .s24le, .s24be: 3
    default: 4
    }
  }
}
