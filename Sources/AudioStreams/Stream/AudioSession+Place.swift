import AudioSession
import POSIX
import PulseTypes
import SessionCore

extension AudioSession {
  /// Where a stream belongs that the server has moved, once the server answers; nil if it is no longer wanted,
  /// or the session was closed.
  func place(
    _ direction: Direction, while isWanted: @Sendable () -> Bool
  ) async -> StreamPlace? {
    var pauses = Pauses(from: .milliseconds(10), upTo: .milliseconds(500))
    while (try? await snapshot()) == nil {
      try? await sleep(until: .now + pauses.next())
      guard isWanted(), !isClosed else { return nil }
    }
    return await place(direction)
  }
}
