import Glibc
import POSIX
import Pulse
import PulseTypes
import SessionCore

/// The right to give the holder an order; one process at a time has it, until it gets its answer.
final class OrderLock: Sendable {
  private let file: Descriptor

  private init(file: consuming Descriptor) { self.file = file }

  deinit { flock(file.raw, LOCK_UN) }

  /// Waits for earlier processes; nil if the deadline passes, the wait is stopped or the task is cancelled
  /// first.
  static func take(
    _ path: String, on loop: PulseLoop, until stop: StopSignal, deadline: Deadline
  ) async throws(SessionError) -> OrderLock? {
    let lock: OrderLock
    do throws(SystemError) {
      // NFS locks only what is open for writing.
      lock = OrderLock(file: try Descriptor(opening: path, O_RDWR | O_CREAT))
    } catch {
      throw FileError(error).sessionError("lock", path)
    }
    var pauses = Pauses(upTo: .milliseconds(50))
    while flock(lock.file.raw, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw FileError(.last).sessionError("lock", path)
      }
      guard !deadline.hasPassed, !stop.isRaised, !Task.isCancelled else { return nil }
      await Deadline(after: min(pauses.next(), deadline.remaining)).pass(on: loop)
    }
    // For those who wait; nothing else depends on it.
    let process = Array("\(getpid())\n".utf8)
    if ftruncate(lock.file.raw, 0) == 0 { _ = pwrite(lock.file.raw, process, process.count, 0) }
    return lock
  }

  /// The process that has it, or had it last; nil if that is unknown.
  static func process(_ path: String) -> Int32? {
    File.text(path).split(separator: "\n").first.flatMap { Int32($0) }
  }
}
