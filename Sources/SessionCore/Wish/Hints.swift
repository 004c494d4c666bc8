import PulseTypes

/// A wish that the server grants if it can; unmet it is a warning unless the mode is strict.
public enum Hint: String, Sendable, Hashable, Codable, CaseIterable {
  /// The preferred sample rate.
  case sampleRate = "sample-rate"
  /// The preferred IO buffer duration.
  case bufferDuration = "buffer-duration"
}

/// How long one IO buffer is: a time, or frames at the device's rate.
public enum BufferDuration: Sendable, Hashable, Codable {
  /// A time.
  case duration(Duration)
  /// So many frames at the wished rate, or at the device's where no rate is wished.
  case frames(Int)

  /// Milliseconds.
  public static func milliseconds(_ value: Int) -> BufferDuration {
    .duration(.milliseconds(value))
  }

  /// The time it means at a rate in Hz, in whole microseconds.
  public func duration(atRate rate: Int) -> Duration {
    switch self {
    case .duration(let duration): .microseconds(duration.microseconds)
    case .frames(let frames):
      .microseconds(Int64(frames).multipliedSaturating(by: 1_000_000) / Int64(max(1, rate)))
    }
  }
}

extension Int64 {
  /// The product, or the greatest or least number where it does not fit.
  fileprivate func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    guard overflows else { return product }
    return (self < 0) == (other < 0) ? .max : .min
  }
}

/// When the session makes its wish so again.
public enum ReapplyPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// After every change that is not ours.
  case always
  /// After route changes; a default that somebody chose stands until the next one.
  case onRouteChange = "on-route-change"
  /// Not before the next `setAudioMode`.
  case never
}

/// What a failed step does to those before it.
public enum FailurePolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// All or nothing: what was is restored.
  case rollback
  /// What can be applied is.
  case bestEffort = "best-effort"
}

/// Whose streams a session is about.
public enum Scope: String, Sendable, Hashable, Codable, CaseIterable {
  /// Everybody's: defaults, ports and profiles of the server.
  case server
  /// The process's own streams only.
  case application
}
