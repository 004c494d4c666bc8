internal import Glibc
internal import POSIX

/// A command that runs inside a sandbox, from its start until it is reaped.
final class Command: Sendable {
  private let child: pid_t
  private let ownsGroup: Bool
  /// Whether the child was reaped, so that its number may belong to another process.
  private let isReaped = Guarded(false)

  init(_ launch: Launch) throws(SandboxError) {
    child = try launch.start()
    ownsGroup = launch.group != .inherited
  }

  /// Signals the command, or its whole group if the group is its own. Has no effect after its end.
  func signal(_ number: Int32) {
    isReaped.withLock { isReaped in
      if !isReaped { _ = Glibc.kill(ownsGroup ? -child : child, number) }
    }
  }

  /// Blocks until the command ends. Returns its exit status, or 128 + the signal that ended it.
  func awaitEnd() -> Int32 {
    // Leaves a zombie at first, so that a concurrent signal(_:) cannot hit another process.
    var information = siginfo_t()
    while waitid(P_PID, id_t(child), &information, Int32(WEXITED | WNOWAIT)) < 0, errno == EINTR {}
    return isReaped.withLock { isReaped in
      isReaped = true
      return reap(child)
    }
  }

  /// Waits at most until `deadline`; nil if the command still runs.
  func awaitEnd(until deadline: ContinuousClock.Instant) -> Int32? {
    // Gets here only for a command that closed its output but still runs.
    var pause: Int32 = 1
    while true {
      var information = siginfo_t()
      let flags = Int32(WEXITED | WNOWAIT | WNOHANG)
      let result = waitid(P_PID, id_t(child), &information, flags)
      if result < 0 ? errno != EINTR : information.si_signo == SIGCHLD { return awaitEnd() }
      let left = milliseconds(until: deadline)
      guard left > 0 else { return nil }
      _ = poll([], for: min(left, pause))
      pause = min(pause * 2, 50)
    }
  }
}
