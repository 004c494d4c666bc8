import Glibc
import POSIX
import PulseTypes
import Synchronization

/// Measures how late the machine itself is: one realtime thread per core that only sleeps, 1.5 ms
/// at a time.
///
/// No program can meet the deadlines of a buffer that is shorter than this lateness. The time that
/// a hypervisor or a kernel takes shows up nowhere else.
final class MachineLateness: Sendable {
  private let late = Guarded<[Int64]>([])
  private let isDone = Atomic<Bool>(false)
  private let isRealtime = Atomic<Bool>(true)
  /// Lateness below this is not recorded.
  static let least: Int64 = 500_000

  init() {
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    for _ in 0..<cores {
      try? detachThread { [self] in run() }
    }
  }

  /// What the threads are, in words.
  var threads: String {
    isRealtime.load(ordering: .relaxed) ? "realtime threads" : "threads (not realtime)"
  }

  func end() { isDone.store(true, ordering: .relaxed) }

  /// How often any of the threads was later than the limit, and the worst lateness.
  func count(above limit: Duration) -> (times: Int, worst: Duration) {
    let nanoseconds = limit.microseconds * 1000
    return late.withLock { late in
      (late.count { $0 > nanoseconds }, .nanoseconds(late.max() ?? 0))
    }
  }

  private func run() {
    var priority = sched_param(sched_priority: 5)
    let result = pthread_setschedparam(pthread_self(), SCHED_RR, &priority)
    if result != 0 { isRealtime.store(false, ordering: .relaxed) }
    var due = timespec()
    clock_gettime(CLOCK_MONOTONIC, &due)
    while !isDone.load(ordering: .relaxed) {
      due.tv_nsec += 1_500_000
      if due.tv_nsec >= 1_000_000_000 {
        due.tv_sec += 1
        due.tv_nsec -= 1_000_000_000
      }
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nil)
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      let seconds = now.tv_sec - due.tv_sec
      let lateness = Int64(seconds * 1_000_000_000 + now.tv_nsec - due.tv_nsec)
      guard lateness > Self.least else { continue }
      late.withLock { $0.append(lateness) }
      due = now
    }
  }
}
