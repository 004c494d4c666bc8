/// The state of a capture.
public enum CaptureStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nothing has been started yet.
  case notInitialized
  /// It was stopped, and can be started.
  case ready
  /// The first tap is being opened.
  case starting
  /// Buffers are being delivered.
  case streaming
  /// `pause` was called.
  case paused
  /// Another stream has priority, or the input or the server is away. The capture resumes by
  /// itself, except after an interruption during which the session's mode ended.
  case interrupted
  /// It was stopped; `ready` follows at once.
  case stopped
  /// The start or a conversion failed; start again.
  case failed
}
