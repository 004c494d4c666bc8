import Synchronization

/// The right to write to a server: a lock on a file that is never renamed or deleted.
///
/// The kernel frees it when the process ends, however it ends; it is given back when this is dropped.
package final class SessionLock: Sendable {
  private let file: Int32
  private let record: LockRecord
  private let calls: any FileCalls
  /// Who interrupts the session; 0 where it ends.
  private let taker = Atomic<Int32>(0)

  private init(_ file: Int32, _ record: LockRecord, _ calls: any FileCalls) {
    (self.file, self.record, self.calls) = (file, record, calls)
  }

  /// Says who is to have the lock after this session, which goes on later.
  package func pass(to process: Int32) { taker.store(process, ordering: .releasing) }

  /// A program that starts another has a copy of each descriptor there until that one runs, so closing
  /// alone would leave the lock taken for a moment. The record goes first: it says who may take what is
  /// free. Closing comes last: it wakes who waits, and must find the lock free.
  deinit {
    let taker = taker.load(ordering: .acquiring)
    let released = record.released(by: calls.process, to: taker == 0 ? nil : taker)
    try? calls.write(released.bytes, to: file)
    calls.unlock(file)
    try? calls.close(file)
  }

  /// One try to take the lock.
  package enum Try {
    case taken(SessionLock)
    /// Another was faster, or has it for a moment: look again.
    case refused
  }

  /// Takes a lock that a glance showed free.
  ///
  /// - Parameters:
  ///   - mustSign: whether a lock that cannot be signed, on a full disk, is none.
  ///   - isMine: asked once more when nobody else can change the record.
  package static func take(
    _ path: String, as owner: LockRecord.Owner, _ calls: any FileCalls,
    mustSign: Bool = true, if isMine: (LockView) -> Bool
  ) throws(FileError) -> Try {
    let file = try calls.open(path, .signing)
    do throws(FileError) {
      guard try calls.lock(file, .exclusive) else {
        try? calls.close(file)
        return .refused
      }
      let view = LockView(
        isTaken: false, record: LockRecord(bytes: try calls.read(file, atMost: LockRecord.length)))
      guard isMine(view) else {
        calls.unlock(file)
        try? calls.close(file)
        return .refused
      }
      let record = view.record.taken(by: owner, isRunning: calls.isRunning)
      do throws(FileError) {
        try calls.write(record.bytes, to: file)
      } catch {
        if mustSign { throw error }
      }
      return .taken(SessionLock(file, record, calls))
    } catch {
      try? calls.close(file)
      throw error
    }
  }
}
