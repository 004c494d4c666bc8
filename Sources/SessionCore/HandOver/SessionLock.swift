import Synchronization

/// The right to write to a server: a lock on a file that is never renamed or deleted.
///
/// The kernel releases it when the process ends for whatever reason; it is also released with the
/// last reference to this object.
package final class SessionLock: Sendable {
  private let file: Int32
  private let record: LockRecord
  private let calls: any FileCalls
  /// The process that interrupts the session; 0 if the session ends.
  private let taker = Atomic<Int32>(0)

  private init(_ file: Int32, _ record: LockRecord, _ calls: any FileCalls) {
    (self.file, self.record, self.calls) = (file, record, calls)
  }

  /// Sets the process that gets the lock after this session, which resumes later.
  package func pass(to process: Int32) { taker.store(process, ordering: .releasing) }

  /// A child process has copies of all descriptors until it executes its program, so closing alone
  /// could leave the lock taken for a moment. The record is written first, because it decides who
  /// may take a free lock. Closing comes last, because it wakes waiting processes, which must find
  /// the lock free.
  deinit {
    let taker = taker.load(ordering: .acquiring)
    let released = record.released(by: calls.process, to: taker == 0 ? nil : taker)
    try? calls.write(released.bytes, to: file)
    calls.unlock(file)
    try? calls.close(file)
  }

  /// Takes a lock that looked free; nil if another process was faster, or has it for a moment.
  ///
  /// A process that died with it may have renamed a file, and not yet synced the folder: what is read
  /// from now on is on the disk.
  ///
  /// - Parameters:
  ///   - mustSign: whether to fail if the record cannot be written, as on a full disk.
  ///   - isMine: called again when no other process can change the record.
  package static func take(
    _ path: String, as owner: LockRecord.Owner, _ calls: any FileCalls,
    mustSign: Bool = true, if isMine: (LockView) -> Bool
  ) throws(FileError) -> SessionLock? {
    let file = try calls.open(path, .signing)
    do throws(FileError) {
      guard try calls.lock(file, .exclusive) else {
        try? calls.close(file)
        return nil
      }
      let view = LockView(
        isTaken: false, record: LockRecord(bytes: try calls.read(file, atMost: LockRecord.length)))
      guard isMine(view) else {
        calls.unlock(file)
        try? calls.close(file)
        return nil
      }
      do throws(FileError) {
        if case .taken = view.record.last { try calls.syncFolder(path.folder) }
      } catch {
        if mustSign { throw error }
      }
      let record = view.record.taken(by: owner, isRunning: calls.isRunning)
      do throws(FileError) {
        try calls.write(record.bytes, to: file)
      } catch {
        if mustSign { throw error }
      }
      return SessionLock(file, record, calls)
    } catch {
      try? calls.close(file)
      throw error
    }
  }
}

extension String {
  /// The folder of a path.
  fileprivate var folder: String { String(self[..<(lastIndex(of: "/") ?? startIndex)]) }
}
