import Testing

@testable import SessionCore

/// The store's files and the lock where calls of the system fail.
@Suite struct FileFaultTests {
  /// The calls of a process, of which some fail.
  private struct FailingCalls: FileCalls {
    let calls: ModelCalls
    var failing: [String: FileError.Kind] = [:]

    var process: Int32 { calls.process }

    private func pass(_ call: String) throws(FileError) {
      if let kind = failing[call] { throw FileError(kind, call) }
    }

    func open(_ path: String, _ mode: FileMode) throws(FileError) -> Int32 {
      try pass("open \(mode)")
      return try calls.open(path, mode)
    }

    func read(_ file: Int32, atMost limit: Int) throws(FileError) -> [UInt8] {
      try pass("read")
      if failing["end"] != nil { return Array(repeating: 0, count: limit) }
      return try calls.read(file, atMost: limit)
    }

    func write(_ bytes: [UInt8], to file: Int32) throws(FileError) {
      try pass("write")
      try calls.write(bytes, to: file)
    }

    func sync(_ file: Int32) throws(FileError) {
      try pass(calls.disk.isFolder(file) ? "sync folder" : "sync")
      try calls.sync(file)
    }

    func close(_ file: Int32) throws(FileError) { try calls.close(file) }

    func lock(_ file: Int32, _ kind: LockKind) throws(FileError) -> Bool {
      try pass("lock")
      return try calls.lock(file, kind)
    }

    func unlock(_ file: Int32) { calls.unlock(file) }

    func rename(_ path: String, to new: String) throws(FileError) {
      try pass("rename")
      try calls.rename(path, to: new)
    }

    func unlink(_ path: String) throws(FileError) {
      try pass("unlink")
      try calls.unlink(path)
    }

    func isRunning(_ process: Int32) -> Bool { calls.isRunning(process) }
  }

  private let disk = ModelDisk()

  private func calls(_ failing: [String: FileError.Kind] = [:]) -> FailingCalls {
    disk.start(7)
    return FailingCalls(calls: ModelCalls(disk: disk, process: 7), failing: failing)
  }

  private func files(_ failing: [String: FileError.Kind] = [:]) -> StoreFiles {
    StoreFiles(folder: "/s", server: "x", calls: calls(failing))
  }

  private let owner = LockRecord.Owner(pid: 7, name: "audiosession", isHolding: true)

  @Test(
    arguments: [
      ("open replacing", .outOfDescriptors, "ulimit -n"), ("write", .full, "make room"),
      ("sync", .other, "writable"), ("rename", .other, "writable"),
      ("sync folder", .other, "sync /s"),
    ] as [(String, FileError.Kind, String)])
  func `what cannot be stored leaves the former content, and says what would help`(
    _ call: String, _ kind: FileError.Kind, _ remedy: String
  ) throws {
    try files().protect([1])
    try files().commit([2])
    for error in [
      #expect(throws: SessionError.self, performing: { try files([call: kind]).protect([3]) }),
      #expect(throws: SessionError.self, performing: { try files([call: kind]).commit([4]) }),
    ] {
      #expect(error?.code == .storeFailed)
      #expect(error?.message.contains(remedy) == true, "\(error as Any)")
    }
    #expect(try files().read(.mode) == [2])
    let baseline = try files().read(.baseline)
    #expect(baseline == (call == "sync folder" ? [3] : [1]))
    #expect(disk.content(of: "/s/x.mode.toml.new") == nil)
  }

  @Test func `the first mode that cannot be stored leaves none`() throws {
    #expect(throws: SessionError.self) { try files(["sync folder": .other]).commit([4]) }
    #expect(try files().read(.mode) == nil)
  }

  @Test func `what cannot be removed or read is an error, and a folder need not be synced`() throws
  {
    try files(["sync folder": .unsupported]).commit([2])
    #expect(throws: SessionError.self) { try files(["unlink": .other]).write(nil, to: .mode) }
    #expect(throws: SessionError.self) { try files(["unlink": .other]).commit(nil) }
    for failing in [["read": FileError.Kind.other], ["end": .other], ["open reading": .other]] {
      #expect(throws: SessionError.self) { try files(failing).read(.mode) }
    }
    #expect(try files().read(.mode) == [2])
  }

  @Test func `damage is set aside beside the file`() throws {
    func refuse(_ bytes: [UInt8]) throws(SessionError) {
      throw SessionError(.storeFailed, stage: .session, "it is damaged")
    }
    let mode = "/s/x.mode.toml"
    try calls().replace(mode, with: [9])
    #expect(files().setAside(.mode) { _ in } == nil)
    let refused = files(["rename": .other]).setAside(.mode, parse: refuse)
    #expect(refused?.contains("cannot rename") == true)
    #expect(disk.content(of: mode) == [9])
    let message = files().setAside(.mode, parse: refuse)
    let aside = "/s/x.mode.toml.damaged"
    #expect(
      message == "it is damaged; it is now \(aside) (\(aside).old once a change is stored)")
    #expect(disk.content(of: mode) == nil)
    #expect(disk.content(of: aside) == [9])
    files(["rename": .other]).endDamage()
    #expect(disk.content(of: aside) == [9])
    files().endDamage()
    #expect(disk.content(of: aside) == nil && disk.content(of: aside + ".old") == [9])
    try files().write([8], to: .baseline)
    let kept = "/s/x.baseline.json.damaged"
    #expect(
      files().setAside(.baseline, parse: refuse)
        == "it is damaged; it is now \(kept) (\(kept).old once a 'revert' has ended the session)")
    #expect(files().setAside(.baseline, parse: refuse) == nil)
    #expect(files(["rename": .other]).endLostBaseline() == nil)
    #expect(files().endLostBaseline()?.kept == kept + ".old")
    #expect(disk.content(of: kept) == nil && disk.content(of: kept + ".old") == [8])
    #expect(files().endLostBaseline() == nil)
  }

  /// The lock, held as long as the result lives.
  private func take(
    _ failing: [String: FileError.Kind] = [:], mustSign: Bool = true,
    if isMine: (LockView) -> Bool = { _ in true }
  ) throws(FileError) -> SessionLock? {
    try SessionLock.take("lock", as: owner, calls(failing), mustSign: mustSign, if: isMine)
  }

  @Test func `a lock is taken once, and not by one whose turn it is not`() throws {
    let lock = try #require(try take())
    #expect(try take() == nil)
    #expect(calls().lookAtLock("lock").isHeld(by: 7))
    withExtendedLifetime(lock) {}
  }

  @Test func `a lock that is free again is released in its record`() throws {
    #expect(try take { _ in false } == nil)
    do {
      let lock = try #require(try take())
      lock.pass(to: 9)
    }
    let view = calls().lookAtLock("lock")
    #expect(!view.isTaken && view.record.last == .released(by: 7, to: 9))
  }

  @Test(arguments: ["open signing", "lock", "read", "write", "sync folder"])
  func `a lock that cannot be signed is taken only to restore`(_ call: String) throws {
    // A process died with it, so the folder is synced first.
    let file = try calls().open("lock", .signing)
    var record = LockRecord()
    record.last = .taken(owner)
    try calls().write(record.bytes, to: file)
    try calls().close(file)
    #expect(throws: FileError.self) { try take([call: .full]) }
    #expect(!calls().lookAtLock("lock").isTaken)
    guard ["write", "sync folder"].contains(call) else { return }
    let lock = try take([call: .full], mustSign: false)
    #expect(lock != nil && calls().lookAtLock("lock").isTaken)
  }

  @Test func `a holder that no longer holds is waited for a moment`() {
    var wait = OrderWait(holder: 7, number: 3)
    let free = LockView(isTaken: false, record: LockRecord())
    func next(at now: Duration) -> OrderWait.Action {
      wait.next(free, answer: 2, hasEnded: false, isStopped: false, at: now)
    }
    #expect(next(at: .zero) == .wait(alarm: .seconds(1)))
    #expect(next(at: .milliseconds(400)) == .wait(alarm: .milliseconds(600)))
    #expect(next(at: .seconds(1)) == .lookAgain)
  }
}
