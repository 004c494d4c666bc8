/// For which process, and for how long, a free lock is reserved.
///
/// That process takes the lock within milliseconds, unless the machine stalls or the process is
/// frozen.
struct Reservation {
  private let grace: Duration
  private var process: Int32?
  private var since = Duration.zero

  init(grace: Duration) { self.grace = grace }

  /// How much longer the lock is reserved for a process; nil if its time is over.
  mutating func remaining(for process: Int32, at now: Duration) -> Duration? {
    if self.process != process { (self.process, since) = (process, now) }
    let remaining = since + grace - now
    return remaining > .zero ? remaining : nil
  }

  mutating func forget() { process = nil }
}
