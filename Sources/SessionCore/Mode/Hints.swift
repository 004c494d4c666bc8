import PulseTypes

/// A preference that the server grants if it can; if it is not met, that is a warning unless it is
/// in `strict`.
public enum Hint: String, Sendable, Hashable, Codable, CaseIterable {
  /// The preferred sample rate.
  case sampleRate = "sample-rate"
  /// The preferred IO buffer duration.
  case bufferDuration = "buffer-duration"
}

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

/// When the session applies its mode again.
public enum ReapplyPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// After every change that the session did not make.
  case always
  /// After route changes; a default that the user chose stays until the next one.
  case onRouteChange = "on-route-change"
  /// Only with the next `setAudioMode`.
  case never
}

/// How a failed step affects those before it.
public enum FailurePolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// All or nothing: the previous setup is restored.
  case rollback
  /// Applies what can be applied.
  case bestEffort = "best-effort"
}

/// Whose streams a session controls.
public enum Scope: String, Sendable, Hashable, Codable, CaseIterable {
  /// All streams: defaults, ports and profiles of the server.
  case server
  /// Only the process's own streams.
  case application
}
