import Glibc
import Pulse
import SessionCore

/// The right to give the holder an order; one process at a time has it, until it gets its answer.
final class OrderLock: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Waits for earlier processes; nil if the deadline passes or the task is cancelled first.
  static func take(
    _ path: String, on loop: PulseLoop, deadline: Deadline
  ) async throws(SessionError) -> OrderLock? {
    let descriptor = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemCalls.error(errno).sessionError("lock", path) }
    let lock = OrderLock(descriptor: descriptor)
    var pause = Duration.milliseconds(1)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw SystemCalls.error(errno).sessionError("lock", path)
      }
      guard !deadline.hasPassed, !Task.isCancelled else { return nil }
      await Deadline(after: min(pause, deadline.remaining)).pass(on: loop)
      pause = min(pause * 2, .milliseconds(50))
    }
    return lock
  }
}
