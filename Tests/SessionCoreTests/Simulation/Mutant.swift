import SessionCore

/// A process whose calls are made wrongly: as they were before a defect was repaired, or as an unlucky edit
/// would make them. A simulation that does not find it proves nothing.
struct Mutant: FileCalls {
  enum Fault: String, CaseIterable {
    /// Defect 1: who only looks at the lock opens its file for writing.
    case looksByWriting
    /// Defect 2: the lock that is given back names nobody.
    case namesNoTaker
    /// Who was interrupted before is forgotten.
    case forgetsInterrupted
    /// Defect 3: nothing is synced.
    case syncsNothing
    /// A file's content is not on the disk when it takes the place of the old.
    case syncsFoldersOnly
    /// A file's name is not on the disk when the call returns.
    case syncsFilesOnly
    /// The mode is not removed or replaced, and that is not said.
    case losesRenames
    /// The lock is everybody's.
    case locksNothing
    /// The lock is signed by nobody.
    case signsNothing
    /// An order does not say for whom it is.
    case addressesNobody
    /// Who ended counts as running.
    case seesTheDead
  }

  /// Those that a power cut alone must show.
  static let unsynced: [Fault] = [.syncsNothing, .syncsFoldersOnly, .syncsFilesOnly]

  let base: ModelCalls
  let fault: Fault

  var process: Int32 { base.process }

  func open(_ path: String, _ mode: FileMode) throws(FileError) -> Int32 {
    let isLook = fault == .looksByWriting && mode == .reading && path.hasSuffix("x.lock")
    return try base.open(path, isLook ? .signing : mode)
  }

  func read(_ file: Int32, atMost limit: Int) throws(FileError) -> [UInt8] {
    try base.read(file, atMost: limit)
  }

  func write(_ bytes: [UInt8], to file: Int32) throws(FileError) {
    guard bytes.count == LockRecord.length else {
      var words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
      if fault == .addressesNobody, words.count == 5 { words[4] = "0" }
      return try base.write(Array(words.joined(separator: " ").utf8), to: file)
    }
    var record = LockRecord(bytes: bytes)
    if fault == .namesNoTaker, case .released(let process, _) = record.last {
      record.last = .released(by: process, to: nil)
    }
    if fault == .namesNoTaker || fault == .forgetsInterrupted { record.interrupted = [] }
    if fault == .signsNothing { record.last = .nothing }
    try base.write(record.bytes, to: file)
  }

  func sync(_ file: Int32) throws(FileError) {
    switch (fault, base.disk.isFolder(file)) {
    case (.syncsNothing, _), (.syncsFoldersOnly, false), (.syncsFilesOnly, true): return
    default: try base.sync(file)
    }
  }

  func close(_ file: Int32) throws(FileError) { try base.close(file) }

  func lock(_ file: Int32, _ kind: LockKind) throws(FileError) -> Bool {
    let isTaken = try base.lock(file, kind)
    return isTaken || fault == .locksNothing
  }

  func unlock(_ file: Int32) { base.unlock(file) }

  func rename(_ path: String, to new: String) throws(FileError) {
    if fault == .losesRenames, new.hasSuffix(".toml"), !new.hasSuffix("order.toml") { return }
    try base.rename(path, to: new)
  }

  func unlink(_ path: String) throws(FileError) { try base.unlink(path) }

  func isRunning(_ process: Int32) -> Bool { fault == .seesTheDead || base.isRunning(process) }
}
