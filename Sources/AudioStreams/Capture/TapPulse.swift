import CAudioKernel
import Pulse

/// When a tap last delivered frames, and when it last delivered sound other than zeros.
final class TapPulse: @unchecked Sendable {  // all of it is behind `lock`
  private let lock = Lock()
  private var times = (frames: Int64.max, sound: Int64.max)

  /// Resets the times for a new tap.
  func begin() {
    let now = HostClock.nanoseconds
    lock.withLock { times = (now, now) }
  }

  /// Notes delivered frames.
  func note(_ samples: UnsafeBufferPointer<Float>) {
    let now = HostClock.nanoseconds
    var zeros = 0
    let begin = ak_zero_run(samples.baseAddress, samples.count, 1, samples.count, &zeros)
    let isSilent = begin == 0 && zeros == samples.count
    lock.withLock { times = (now, isSilent ? times.sound : now) }
  }

  /// When frames last arrived, and when the last ones other than zeros did (`CLOCK_MONOTONIC`,
  /// nanoseconds).
  var last: (frames: Int64, sound: Int64) { lock.withLock { times } }
}
