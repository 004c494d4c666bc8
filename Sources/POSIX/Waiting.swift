internal import Glibc

/// An event of a descriptor for which a thread can wait; a negative descriptor never has one.
package enum Happening {
  /// There is something to read, or the other end is closed.
  case input(Int32)
  /// There is room to write, or the other end is closed.
  case output(Int32)
  /// The other end is closed, whatever is left to read.
  case end(Int32)
}

/// Waits until one of the events happens; the result shows which, all false at the time limit (-1:
/// none) and after a signal.
@discardableResult
package func poll(_ happenings: [Happening], for milliseconds: Int32) -> [Bool] {
  var entries = happenings.map { happening in
    switch happening {
    case .input(let descriptor): pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    case .output(let descriptor): pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    case .end(let descriptor): pollfd(fd: descriptor, events: 0, revents: 0)  // POLLHUP: always
    }
  }
  // An interrupted wait looks like one in which nothing happened: callers loop on a deadline.
  guard Glibc.poll(&entries, nfds_t(entries.count), milliseconds) > 0 else {
    return happenings.map { _ in false }
  }
  return entries.map { $0.revents != 0 }
}

/// The milliseconds until `deadline`, rounded up for poll(2), a day at most; 0 once it has passed.
package func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
  let left = min(ContinuousClock.now.duration(to: deadline), .seconds(86_400)).components
  let milliseconds = (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  return Int32(clamping: max(0, left.seconds * 1000 + milliseconds))
}
