import Glibc
import POSIX

/// Writes sound into a pipe at the pace of a device: silence, with a mark of 1 ms now and then.
final class Feeder: Sendable {
  private let descriptor: Int32
  private let written = Guarded([ContinuousClock.Instant]())

  /// When each mark was written.
  var marks: [ContinuousClock.Instant] { written.withLock { $0 } }

  init(_ path: String) { descriptor = open(path, O_RDWR | O_CLOEXEC) }

  deinit { close(descriptor) }

  /// Writes this number of marks at 48 kHz, one channel of floats; and a second of silence. The time
  /// between marks is no multiple of a buffer's, so that they are at all places of a buffer.
  func run(marks: Int) {
    let silence = [Float](repeating: 0, count: 48)
    let mark = [Float](repeating: 0.9, count: 48)
    let start = ContinuousClock.now
    let period = 51
    for millisecond in 0..<(marks * period + 1000) {
      while ContinuousClock.now < start + .milliseconds(millisecond) { usleep(100) }
      let isMark = millisecond % period == period - 1 && millisecond < marks * period
      if isMark { written.withLock { $0.append(.now) } }
      write(descriptor, isMark ? mark : silence, 48 * 4)
    }
  }
}
