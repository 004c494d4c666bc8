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
      .microseconds(Int64(frames).multipliedSaturating(by: 1_000_000) / Int64(max(1, rate)))
    }
  }
}

extension Int64 {
  /// The product, or the greatest or least number if it overflows.
  fileprivate func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    guard overflows else { return product }
    return (self < 0) == (other < 0) ? .max : .min
  }
}
