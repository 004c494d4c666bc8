/// The state of the lock at a glance.
package struct LockView: Sendable, Hashable {
  /// Whether a process has it.
  package var isTaken: Bool
  package var record: LockRecord
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
