/// The state of the lock at a glance.
package struct LockView: Sendable, Hashable {
  /// Whether a process has it.
  package var isTaken: Bool
  package var record: LockRecord

  package init(isTaken: Bool, record: LockRecord) {
    self.isTaken = isTaken
    self.record = record
  }
}

extension FileCalls {
  /// Reads the state of the lock without a change that would wake watchers of the file.
  package func lookAtLock(_ path: String) -> LockView {
    guard let file = try? open(path, .reading) else {
      return LockView(isTaken: false, record: LockRecord())
    }
    defer { try? close(file) }
    // A shared lock is refused only while a process has the exclusive one.
    let isTaken = (try? lock(file, .shared)) == false
    return LockView(
      isTaken: isTaken,
      record: LockRecord(bytes: (try? read(file, atMost: LockRecord.length)) ?? []))
  }
}

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

/// Growing pauses between attempts that no event triggers.
struct Pauses {
  private let longest: Duration
  private var pause = Duration.milliseconds(1)

  init(longest: Duration) { self.longest = longest }

  mutating func next() -> Duration {
    defer { pause = min(pause * 2, longest) }
    return pause
  }
}
