import PulseTypes

/// The length of one IO buffer: a time, or frames at the device's rate.
public enum BufferDuration: Sendable, Hashable, Codable {
  /// A time.
  case duration(Duration)
  /// A number of frames at the preferred rate, or at the device's if no rate is preferred.
  case frames(Int)

  /// Milliseconds.
  public static func milliseconds(_ value: Int) -> BufferDuration {
    .duration(.milliseconds(value))
  }

  /// The time at a rate in Hz, in whole microseconds.
  package func duration(atRate rate: Int) -> Duration {
    switch self {
    case .duration(let duration): .microseconds(duration.microseconds)
    case .frames(let frames):
      .microseconds(Int64(clamping: Int128(frames) * 1_000_000) / Int64(max(1, rate)))
    }
  }
}
