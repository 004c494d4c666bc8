/// A preference that the server grants if it can; if it is not met, that is a warning unless it is
/// in `strict`.
public enum Hint: String, Sendable, Hashable, Codable, CaseIterable {
  /// The preferred sample rate.
  case sampleRate = "sample-rate"
  /// The preferred IO buffer duration.
  case bufferDuration = "buffer-duration"
}
