internal import Glibc

/// A program to start, and what the child inherits from this process: only what is listed here, and
/// the current folder.
package struct Launch {
  package enum Group {
    /// This process's group: the terminal's Ctrl-C reaches both.
    case inherited
    /// A new process group, whose number is the child's.
    case own
    /// A new session, without the terminal.
    case ownSession
  }

  package var program: String
  package var arguments: [String]
  package var environment: [String: String]
  /// Sources of the child's standard descriptors; a missing one is inherited.
  package var descriptors: [(child: Int32, parent: Int32)]
  package var files: [(child: Int32, path: String, flags: Int32)]
  package var group: Group
  /// Whether the end of the terminal is not for the child either, where nohup keeps it from this process.
  package var keepsNohup = false

  package init(
    program: String, arguments: [String],
    environment: [String: String] = ProcessEnvironment.all,
    descriptors: [(child: Int32, parent: Int32)] = [],
    files: [(child: Int32, path: String, flags: Int32)] = [], group: Group = .inherited
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.descriptors = descriptors
    self.files = files
    self.group = group
  }

  /// Starts the program. The caller must reap the child.
  package func spawn() throws(SystemError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (child, parent) in descriptors {
      posix_spawn_file_actions_adddup2(&actions, parent, child)
    }
    for (child, path, flags) in files {
      posix_spawn_file_actions_addopen(&actions, child, path, flags, 0o600)
    }
    // Our own descriptors close on exec; this closes those of the rest of the process.
    _ = GNU.addCloseFrom?(&actions, 3)

    var attributes = makeAttributes()
    defer { posix_spawnattr_destroy(&attributes) }
    let arguments = CStrings([program] + arguments)
    let environment = CStrings(environment.map { "\($0)=\($1)" })
    var child: pid_t = 0
    let result = posix_spawn(
      &child, program, &actions, &attributes, arguments.pointers, environment.pointers)
    guard result == 0 else { throw SystemError(result) }
    return child
  }

  /// Default signal handling, whatever this process and this thread ignore or block.
  private func makeAttributes() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    if keepsNohup, isIgnored(SIGHUP) { sigdelset(&signals, SIGHUP) }
    // A parent that ignores the terminal's stops would wait for a child that stops.
    if case .inherited = group {
      for signal in [SIGTSTP, SIGTTIN, SIGTTOU] where isIgnored(signal) {
        sigdelset(&signals, signal)
      }
    }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    switch group {
    case .inherited: break
    case .own: flags |= POSIX_SPAWN_SETPGROUP
    case .ownSession: flags |= GNU.spawnInNewSession
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    return attributes
  }
}

/// A null-terminated array of C strings that lives as long as this value.
private struct CStrings: ~Copyable {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
    pointers[count] = nil
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }
}

/// Waits for a child to end and reaps it. Returns its exit status, 128 + the signal that ended it,
/// or -1 if the status is unknown because this process ignores SIGCHLD.
@discardableResult
package func reap(_ child: Int32) -> Int32 {
  var status: Int32 = 0
  guard (try? retrying { waitpid(child, &status, 0) }) != nil else { return -1 }
  let signal = status & 0x7f
  return signal == 0 ? (status >> 8) & 0xff : 128 + signal
}

/// Whether this process ignores a signal; with nohup, SIGHUP.
package func isIgnored(_ signal: Int32) -> Bool {
  var action = sigaction()
  sigaction(signal, nil, &action)
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
}
