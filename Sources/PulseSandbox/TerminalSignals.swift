internal import Glibc
internal import POSIX

/// Passes Ctrl-C and Ctrl-\\ only to the foreground command, like system(3): this process must
/// survive to close the sandbox and to pass on the exit status.
enum TerminalSignals {
  private struct State {
    var users = 0
    var interrupt = sigaction()
    var quit = sigaction()
  }

  private static let state = Guarded(State())

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
