internal import Glibc

/// A command that runs inside a sandbox, from its start until it is reaped.
final class Command: Sendable {
  private let child: pid_t
  private let ownsGroup: Bool
  /// Whether the number is still the child's.
  private let isReaped = Locked(false)

  init(_ launch: Launch) throws(SandboxError) {
    child = try launch.spawn()
    if case .own = launch.group { ownsGroup = true } else { ownsGroup = false }
  }

  /// Signals the command, and its group if that is its own. Nothing happens after its end.
  func signal(_ number: Int32) {
    isReaped.withLock { isReaped in
      if !isReaped { _ = Glibc.kill(ownsGroup ? -child : child, number) }
    }
  }

  /// Blocks until the command ends. Its exit status, or 128 + the signal that ended it.
  func awaitEnd() -> Int32 {
    // Left as a zombie at first, so that signal(_:) in between cannot hit another process.
    var information = siginfo_t()
    while waitid(P_PID, id_t(child), &information, Int32(WEXITED | WNOWAIT)) < 0, errno == EINTR {}
    return isReaped.withLock { isReaped in
      isReaped = true
      return reap(child)
    }
  }

  /// Waits at most until `deadline`; nil when the command is still there.
  func awaitEnd(until deadline: ContinuousClock.Instant) -> Int32? {
    // Only a command that has closed its output and lives on is waited for here.
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

/// Ctrl-C and Ctrl-\\ are for the command alone while one runs in the foreground, as with
/// system(3): this process must live on to close the sandbox and to pass on the exit status.
enum TerminalSignals {
  private struct State {
    var users = 0
    var interrupt = sigaction()
    var quit = sigaction()
  }

  private static let state = Locked(State())

  static func ignore() {
    state.withLock { state in
      state.users += 1
      guard state.users == 1 else { return }
      var ignore = sigaction()
      ignore.__sigaction_handler.sa_handler = SIG_IGN
      sigaction(SIGINT, &ignore, &state.interrupt)
      sigaction(SIGQUIT, &ignore, &state.quit)
    }
  }

  static func restore() {
    state.withLock { state in
      state.users -= 1
      guard state.users == 0 else { return }
      sigaction(SIGINT, &state.interrupt, nil)
      sigaction(SIGQUIT, &state.quit, nil)
    }
  }
}
