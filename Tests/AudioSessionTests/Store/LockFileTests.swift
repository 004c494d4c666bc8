import Glibc
import POSIX
import Pulse
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// Locks on files of a real folder, and what the system's calls answer.
@Suite struct LockFileTests {
  private let folder = TemporaryFolder()
  private let loop = PulseLoop()
  private let calls = SystemCalls()

  /// Locks a file, as another program would; closing it releases it.
  private func hold(_ path: String, _ last: LockRecord.Last) throws -> Int32 {
    let file = try calls.open(path, .signing)
    #expect(try calls.lock(file, .exclusive))
    var record = LockRecord()
    record.last = last
    try calls.write(record.bytes, to: file)
    return file
  }

  private func take(
    _ path: String, within limit: Duration
  ) async throws(SessionError) -> SessionLock.Taking {
    try await SessionLock.take(
      path, isHolding: false, mustSign: true, on: loop, deadline: Deadline(after: limit))
  }

  @Test(arguments: [nil, LockRecord.Owner(pid: getpid(), name: "other", isHolding: false)])
  func `a lock that a command keeps is waited for, but not for ever`(
    _ owner: LockRecord.Owner?
  ) async throws {
    let path = folder.path + "/lock"
    let file = try hold(path, owner.map { .taken($0) } ?? .nothing)
    let busy = await #expect(throws: SessionError.self) {
      _ = try await take(path, within: .milliseconds(30))
    }
    #expect(busy?.code == .isBusy)
    #expect(busy?.message.hasPrefix(owner == nil ? "another process holds" : "other (") == true)
    let waiting = Task { try await take(path, within: .seconds(60)) }
    waiting.cancel()
    let cancelled = await #expect(throws: SessionError.self) { _ = try await waiting.value }
    #expect(cancelled?.code == .cancelled)
    try calls.close(file)
    guard case .taken = try await take(path, within: .seconds(60)) else {
      Issue.record("a free lock is not taken")
      return
    }
  }

  @Test func `one process at a time may give orders`() async throws {
    func take(_ name: String, _ limit: Duration) async throws(SessionError) -> OrderLock? {
      try await OrderLock.take(
        folder.path + name, on: loop, until: StopSignal(), deadline: Deadline(after: limit))
    }
    let first = try await take("/order", .seconds(60))
    #expect(first != nil)
    #expect(try await take("/order", .milliseconds(30)) == nil)
    let waiting = Task { try await take("/order", .seconds(60)) }
    waiting.cancel()
    #expect(try await waiting.value == nil)
    let stop = StopSignal()
    stop.set()
    let stopped = try await OrderLock.take(
      folder.path + "/order", on: loop, until: stop, deadline: Deadline(after: .seconds(60)))
    #expect(stopped == nil && OrderLock.process(folder.path + "/order") == getpid())
    let error = await #expect(throws: SessionError.self) { try await take("/gone/order", .zero) }
    #expect(error?.code == .storeFailed)
    withExtendedLifetime(first) {}
  }

  @Test func `a folder that does not exist is not watched`() {
    #expect(Watch.folder(folder.path, on: loop) { _ in } != nil)
    #expect(Watch.folder(folder.path + "/gone", on: loop) { _ in } == nil)
  }

  @Test func `the system's errors are told apart where the caller can do something`() throws {
    let kinds: [(Int32, FileError.Kind)] = [
      (ENOENT, .missing), (ENOTDIR, .missing), (ENOSPC, .full), (EDQUOT, .full),
      (EMFILE, .outOfDescriptors), (ENFILE, .outOfDescriptors), (EINVAL, .unsupported),
      (ENOTSUP, .unsupported), (EIO, .other),
    ]
    for (number, kind) in kinds { #expect(FileError(SystemError(number)).kind == kind) }
    #expect(throws: FileError.self) { try calls.close(-1) }
    #expect(throws: FileError.self) { try calls.lock(-1, .exclusive) }
    #expect(throws: FileError.self) { try calls.syncFolder(folder.path + "/gone") }
    // A file system without a disk.
    try calls.syncFolder("/proc/self")
    #expect(calls.isRunning(getpid()) && !calls.isRunning(.max))
    #expect(ProcessName.of(.max) == "audiosession")
  }

  @Test func `a path is resolved as far as it exists`() {
    #expect(Files.resolved("") == "/")
    #expect(Files.resolved("/gone/./a") == "/gone/a")
    #expect(Files.resolved("/gone/../a") == "/a")
    #expect(SessionStore.Server("{0123}unix:/gone/../native").address == "unix:/native")
  }

  @Test func `files in memory belong to one process`() throws {
    let calls = MemoryFiles()
    let owner = LockRecord.Owner(pid: getpid(), name: "own", isHolding: true)
    let lock = try SessionLock.attempt("lock", owner, calls) { !$0.isTaken }
    #expect(lock != nil && !calls.lookAtLock("lock").isTaken)
    #expect(calls.lookAtLock("lock").record.owner == owner)
    #expect(calls.isRunning(getpid()) && !calls.isRunning(1))
    let file = try calls.open("file", .replacing)
    calls.write([1, 2], to: file)
    calls.close(file)
    calls.write([3], to: file)
    #expect(calls.read(file, atMost: 9) == [])
    #expect(try calls.content(of: "file") == [1, 2])
  }

  @Test func `what cannot be recorded after a restore is reported`() {
    let store = SessionStore(folder: "/proc/gone", server: .init("unix:/x"))
    var baseline = Baseline()
    baseline.record(.mute(.input, device: "mic"), before: .flag(false), ours: .flag(true))
    let stored = StoredMode(
      mode: AudioMode(category: .record), profile: nil, generation: 1, isActive: false)
    let problems = store.commitWhatCanBe(stored, baseline)
    #expect(problems.count == 2)
    #expect(problems.allSatisfy { $0.hasPrefix("restored, but not recorded: cannot write") })
  }
}
