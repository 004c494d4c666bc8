import CAudioKernel
import POSIX

/// When a tap last delivered frames, and when it last delivered sound other than zeros.
final class TapPulse: Sendable {
  private let times = Guarded(
    (began: Int64.max, frames: Int64.max, sound: Int64.max, heard: Int64.min))

  /// Resets the times for a new tap.
  func begin() {
    let now = HostClock.nanoseconds
    times.withLock { ($0.began, $0.frames, $0.sound) = (now, now, now) }
  }

  /// Notes delivered frames.
  func note(_ samples: UnsafeBufferPointer<Float>) {
    let now = HostClock.nanoseconds
    var zeros = 0
    let begin = ak_zero_run(samples.baseAddress, samples.count, 1, samples.count, &zeros)
    let isSilent = begin == 0 && zeros == samples.count
    times.withLock {
      ($0.frames, $0.sound, $0.heard) = (now, isSilent ? $0.sound : now, now)
    }
  }

  /// When the tap was opened.
  var began: Int64 { times.withLock { $0.began } }

  /// When frames last arrived, and when the last ones other than zeros did (`CLOCK_MONOTONIC`,
  /// nanoseconds).
  var last: (frames: Int64, sound: Int64) { times.withLock { ($0.frames, $0.sound) } }

  /// When frames last arrived from any tap.
  var heard: Int64 { times.withLock { $0.heard } }
}
