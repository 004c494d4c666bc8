@testable import AudioSession

/// Read on the session's own thread: a test that reads `life` gets a copy, which keeps the lock taken until it
/// has been looked at.
extension AudioSession {
  /// Whether it waits for the lock.
  var isInLine: Bool { life.isWaiting }
  var isShut: Bool { life.isClosed }
}
