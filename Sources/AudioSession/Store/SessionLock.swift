import Glibc
import Pulse
import SessionCore

/// The right to write to a server: a lock on a file that is never renamed or deleted.
///
/// The kernel frees it when the process ends, however it ends. The file says who has it.
struct SessionLock: ~Copyable {
  private let descriptor: Int32
  private var isSigned = false

  private init(descriptor: Int32) { self.descriptor = descriptor }

  /// A program that starts another has a copy of each descriptor there until that one runs, so closing
  /// alone would leave the lock taken for a moment.
  ///
  /// The name goes first: who finds the lock taken and a living holder named may believe it.
  deinit {
    if isSigned { write("\(Self.releasedWord) \(getpid())\n") }
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

  /// What came of taking a lock.
  enum Taking: ~Copyable {
    case taken(SessionLock)
    /// A holder has it, and goes on having it.
    case held(Owner)
  }

  /// Takes the lock, waiting for a command that has it, but not for a holder.
  static func take(
    _ path: String, isHolding: Bool, on loop: PulseLoop, deadline: Deadline
  ) async throws(SessionError) -> Taking {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Files.failure("lock", path) }
    var lock = SessionLock(descriptor: descriptor)
    var pause = Duration.milliseconds(1)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw Files.failure("lock", path) }
      let owner = owner(path)
      // Who only asks whether there is a holder has the lock for microseconds, while the file names
      // nobody, or one that was killed.
      if let owner, owner.isHolding, owner.isAlive { return .held(owner) }
      if deadline.hasPassed { throw busy(owner) }
      if Task.isCancelled {
        throw SessionError(
          .cancelled, stage: .session, "cancelled while another command was at work")
      }
      // Another command is at work: it ends in milliseconds, so ask again, ever more rarely.
      await Deadline(after: min(pause, deadline.remaining)).pass(on: loop)
      pause = min(pause * 2, .milliseconds(50))
    }
    try lock.sign(path, isHolding)
    return .taken(lock)
  }

  private mutating func sign(_ path: String, _ isHolding: Bool) throws(SessionError) {
    let owner = Owner(pid: getpid(), name: Self.programName, isHolding: isHolding)
    guard write(owner.line) else { throw Files.failure("lock", path) }
    isSigned = true
  }

  @discardableResult
  private func write(_ line: String) -> Bool {
    let bytes = Array(line.utf8)
    return ftruncate(descriptor, 0) == 0
      && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
  }

  private static let releasedWord = "released"

  /// The process that gave the lock back last; nil while it is taken, or where that was killed.
  static func lastReleaser(_ path: String) -> Int32? {
    let bytes = (try? Files.read(path)).flatMap { $0 } ?? []
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    return words.first.map(String.init) == releasedWord ? words.last.flatMap { Int32($0) } : nil
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

  static func busy(_ owner: Owner?) -> SessionError {
    let who = owner.map { "\($0.name) (process \($0.pid))" } ?? "another process"
    return SessionError(
      .isBusy, stage: .session,
      "\(who) holds the audio session of this server; end it, or change the setup through it",
      value: owner.map { String($0.pid) })
  }

  /// The name of this program, as the process list has it.
  static var programName: String { name(of: getpid()) }

  /// The name of a process's program, as the process list has it.
  static func name(of process: Int32) -> String {
    let name = (try? Files.read("/proc/\(process)/comm")).flatMap { $0 }.map {
      String(decoding: $0, as: UTF8.self)
    }
    return name?.split(separator: "\n").first.map(String.init) ?? "audiosession"
  }
}
