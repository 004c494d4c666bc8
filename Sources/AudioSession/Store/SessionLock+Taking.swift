import Glibc
import POSIX
import Pulse
import SessionCore

extension SessionLock {
  enum Taking {
    case taken(SessionLock)
    /// A holder has it, and keeps it.
    case held(LockRecord.Owner)
  }

  /// Takes the lock; waits for a command that has it, but not for a holder.
  ///
  /// - Parameter mustSign: false for changes that must be possible with a full disk.
  static func take(
    _ path: String, isHolding: Bool, mustSign: Bool, server: String? = nil, on loop: PulseLoop,
    until stop: StopSignal = StopSignal(), deadline: Deadline
  ) async throws(SessionError) -> Taking {
    let calls = SystemCalls()
    let owner = LockRecord.Owner.own(isHolding: isHolding)
    var claim = LockClaim(process: calls.process, within: deadline.remaining)
    let start = ContinuousClock.now
    func next(_ view: LockView) -> LockClaim.Action {
      claim.next(view, at: .now - start, isRunning: calls.isRunning)
    }
    while true {
      let view = calls.lookAtLock(path)
      let pause: Duration
      switch next(view) {
      case .held(let owner): return .held(owner)
      case .wait(let duration): pause = duration
      case .take:
        let lock = try attempt(path, owner, calls, mustSign: mustSign) { next($0) == .take }
        if let lock { return .taken(lock) }
        pause = claim.noteRefused()
      }
      if deadline.hasPassed { throw busy(view.record.owner, on: server) }
      if stop.isRaised || Task.isCancelled {
        throw SessionError(
          .cancelled, stage: .session, "cancelled while another command was at work")
      }
      await Deadline(after: min(pause, deadline.remaining)).pass(on: loop)
    }
  }

  /// One try; nil if another was faster.
  static func attempt(
    _ path: String, _ owner: LockRecord.Owner, _ calls: some FileCalls, mustSign: Bool = true,
    _ isMine: (LockView) -> Bool
  ) throws(SessionError) -> SessionLock? {
    do throws(FileError) {
      return try take(path, as: owner, calls, mustSign: mustSign, if: isMine)
    } catch {
      throw error.sessionError("lock", path)
    }
  }

  /// The living process that has a lock now; nil if it is free.
  static func livingOwner(_ path: String) -> LockRecord.Owner? {
    let view = SystemCalls().lookAtLock(path)
    return view.isTaken ? view.record.owner : nil
  }

  static func isHeld(_ path: String, by process: Int32) -> Bool {
    SystemCalls().lookAtLock(path).isHeld(by: process)
  }

  static func busy(_ owner: LockRecord.Owner?, on server: String? = nil) -> SessionError {
    if let owner, !owner.isHolding {
      let remedy = ProcessName.remedyIfStopped(owner.pid) ?? "try again when it has ended"
      return owner.error(.isBusy, "is changing the audio session of this server; \(remedy)")
    }
    return SessionError(
      .isBusy, stage: .session,
      "\(owner?.title ?? "another process") holds the audio session of this server; "
        + "'\(Words.command("audiosession stop", on: server))' ends a command that does, "
        + "'\(Words.command("audiosession watch --replace", on: server))' takes over from it",
      value: owner.map { String($0.pid) })
  }
}

extension LockRecord.Owner {
  /// This process.
  static func own(isHolding: Bool) -> LockRecord.Owner {
    LockRecord.Owner(pid: getpid(), name: ProcessName.own, isHolding: isHolding)
  }
}

/// The names of programs, and whether they run, as the process list has them.
enum ProcessName {
  private static let known = Guarded<String?>(nil)
  private static let unknown = "audiosession"

  /// The name of this program; read once, because each state of a holder has it.
  static var own: String {
    if let name = known.withLock({ $0 }) { return name }
    let name = find(getpid())
    known.withLock { $0 = name }
    return name ?? unknown
  }

  /// The name of a process's program.
  static func of(_ process: Int32) -> String { find(process) ?? unknown }

  /// What to do about a process that is stopped; nil for another one.
  static func remedyIfStopped(_ process: Int32) -> String? {
    guard isStopped(process) else { return nil }
    return "process \(process) is stopped (Ctrl-Z, perhaps); "
      + "'kill -CONT \(process)' lets it continue"
  }

  /// Whether a process is stopped: by Ctrl-Z in its terminal, for example.
  static func isStopped(_ process: Int32) -> Bool {
    // PID (NAME) STATE …, and a name may contain anything.
    let fields = File.text("/proc/\(process)/stat").split(separator: ")").last
    return fields?.split(separator: " ").first == "T"
  }

  private static func find(_ process: Int32) -> String? {
    File.text("/proc/\(process)/comm").split(separator: "\n").first.map(String.init)
  }
}
