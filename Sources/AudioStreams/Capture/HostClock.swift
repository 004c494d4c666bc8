import Glibc

/// The machine's monotonic clock, which buffers and events use.
enum HostClock {
  /// The time since the machine started, without sleep (`CLOCK_MONOTONIC`).
  static var now: Duration { .nanoseconds(nanoseconds) }

  /// The same, as a number.
  static var nanoseconds: Int64 { read(CLOCK_MONOTONIC) }

  /// What makes a time of this clock a time since 1970 (`CLOCK_REALTIME`), as both stand now.
  static var epoch: Duration { .nanoseconds(read(CLOCK_REALTIME) - nanoseconds) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
