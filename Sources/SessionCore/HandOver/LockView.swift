/// What a glance at the lock showed.
package struct LockView: Sendable, Hashable {
  /// Whether somebody has it.
  package var isTaken: Bool
  package var record: LockRecord

  package init(isTaken: Bool, record: LockRecord) {
    self.isTaken = isTaken
    self.record = record
  }
}

extension FileCalls {
  /// Looks who has the lock, and changes nothing: nobody that watches the file is woken by it.
  package func lookAtLock(_ path: String) -> LockView {
    guard let file = try? open(path, .reading) else {
      return LockView(isTaken: false, record: LockRecord())
    }
    defer { try? close(file) }
    // A shared lock is refused only while somebody has it alone.
    let isTaken = (try? lock(file, .shared)) == false
    return LockView(
      isTaken: isTaken,
      record: LockRecord(bytes: (try? read(file, atMost: LockRecord.length)) ?? []))
  }
}

/// To whom a lock that is free is left, and for how long.
///
/// Who is to have it takes it within milliseconds, but on a machine that stands still, or where it is
/// frozen.
struct Reservation {
  private let grace: Duration
  private var process: Int32?
  private var since = Duration.zero

  init(grace: Duration) { self.grace = grace }

  /// How long the lock is left to a process; nil where its time is over.
  mutating func remaining(for process: Int32, at now: Duration) -> Duration? {
    if self.process != process { (self.process, since) = (process, now) }
    let remaining = since + grace - now
    return remaining > .zero ? remaining : nil
  }

  mutating func forget() { process = nil }
}

/// Pauses between two tries that nothing wakes, ever longer.
struct Pauses {
  private let longest: Duration
  private var pause = Duration.milliseconds(1)

  init(longest: Duration) { self.longest = longest }

  mutating func next() -> Duration {
    defer { pause = min(pause * 2, longest) }
    return pause
  }
}
