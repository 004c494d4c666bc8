import AudioSession
import POSIX
import PulseTypes

extension AudioSession {
  /// The server once it answers, for what is judged after an event that comes once; nil if that is no longer
  /// wanted, or the session was closed.
  func snapshot(while isWanted: @Sendable () -> Bool) async -> ServerSnapshot? {
    var pauses = Pauses(from: .milliseconds(10), upTo: .milliseconds(500))
    while isWanted(), !isClosed {
      if let snapshot = try? await snapshot() { return snapshot }
      try? await sleep(until: .now + pauses.next())
    }
    return nil
  }
}
