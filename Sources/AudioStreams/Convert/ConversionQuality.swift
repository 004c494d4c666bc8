/// The quality of the rate conversion (libsoxr's recipes); better quality costs more time and
/// delay.
public enum ConversionQuality: String, Sendable, Hashable, Codable, CaseIterable {
  /// For voices: 16 bits.
  case low
  /// 16 bits, with a wider band.
  case medium
  /// 20 bits: better than a microphone.
  case high
  /// 28 bits: for further processing.
  case veryHigh = "very-high"
}
