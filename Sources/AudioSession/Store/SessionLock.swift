import Glibc
import SessionCore

/// The right to write to a server: a lock on a file that is never renamed or deleted.
///
/// The kernel frees it when the process ends, however it ends. The file says who has it.
struct SessionLock: ~Copyable {
  private let descriptor: Int32

  /// A program that starts another has a copy of each descriptor there until that one runs, so closing
  /// alone would leave the lock taken for a moment.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Who has a lock: for messages, never for decisions about the lock itself.
  struct Owner: Sendable {
    var pid: Int32
    /// Whether it keeps the lock beyond one command.
    var isHolding: Bool
    var name: String

    /// One line: the process, `holder` or `command`, and the program.
    var line: String { "\(pid) \(isHolding ? "holder" : "command") \(name)\n" }

    /// False only where no such process can be.
    var isAlive: Bool { kill(pid, 0) == 0 || errno != ESRCH }

    init(pid: Int32, name: String, isHolding: Bool) {
      self.pid = pid
      self.name = name
      self.isHolding = isHolding
    }

    /// Nil for what is no such line, such as one that is being written.
    init?(line: String) {
      let words = line.split(separator: "\n").first?.split(separator: " ", maxSplits: 2) ?? []
      guard words.count == 3, let pid = Int32(words[0]) else { return nil }
      self.init(pid: pid, name: String(words[2]), isHolding: words[1] == "holder")
    }
  }

  /// Takes the lock, waiting for a command that has it, but not for a holder.
  static func take(
    _ path: String, isHolding: Bool, deadline: Deadline
  ) async throws(SessionError) -> SessionLock {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Files.failure("lock", path) }
    let lock = SessionLock(descriptor: descriptor)
    var pause = Duration.milliseconds(1)
    var refusals = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw Files.failure("lock", path) }
      let owner = owner(path)
      // Who only asks whether there is a holder has the lock for microseconds, while the file still
      // names the last one: a holder refuses again and again.
      refusals += 1
      if owner.map({ $0.isHolding && $0.isAlive }) == true, refusals > 4 { throw busy(owner) }
      if deadline.hasPassed { throw busy(owner) }
      if Task.isCancelled {
        throw SessionError(
          .cancelled, stage: .session, "cancelled while another command was at work")
      }
      // Another command is at work: it ends in milliseconds, so ask again, ever more rarely.
      let wait = Deadline(after: min(pause, deadline.remaining))
      await wait.onPassing {}.value
      pause = min(pause * 2, .milliseconds(50))
    }
    try lock.sign(path, isHolding)
    return lock
  }

  private func sign(_ path: String, _ isHolding: Bool) throws(SessionError) {
    let owner = Owner(pid: getpid(), name: Self.programName, isHolding: isHolding)
    let bytes = Array(owner.line.utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    else { throw Files.failure("lock", path) }
  }

  /// The living process that has a lock now; nil where it is free.
  static func livingOwner(_ path: String) -> Owner? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // A shared lock is refused only while somebody has it; closing gives it back at once.
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else {
      flock(descriptor, LOCK_UN)
      return nil
    }
    return owner(path)
  }

  private static func owner(_ path: String) -> Owner? {
    guard let bytes = try? Files.read(path) else { return nil }
    return Owner(line: String(decoding: bytes, as: UTF8.self))
  }

  private static func busy(_ owner: Owner?) -> SessionError {
    let who = owner.map { "\($0.name) (process \($0.pid))" } ?? "another process"
    return SessionError(
      .isBusy, stage: .session,
      "\(who) holds the audio session of this server; end it, or change the setup through it",
      value: owner.map { String($0.pid) })
  }

  /// The name of this program, as the process list has it.
  static var programName: String {
    let name = (try? Files.read("/proc/self/comm")).flatMap { $0 }.map {
      String(decoding: $0, as: UTF8.self)
    }
    return name?.split(separator: "\n").first.map(String.init) ?? "audiosession"
  }
}
