internal import Glibc
internal import POSIX

extension PulseSandbox {
  /// The process number of one of the server's processes, by default of the one that serves
  /// clients; nil if it has ended, or the sandbox is closed.
  public func processID(of process: ServerProcess? = nil) async -> Int32? {
    try? await runningProcess(process)
  }

  /// The same of a process that must run.
  func runningProcess(_ process: ServerProcess? = nil) async throws(SandboxError) -> Int32 {
    let process = process ?? ServerProcess.front(of: configuration.server)
    return try await withRunning(process) { daemons in daemons[0].processID }
  }

  /// Kills the server (SIGKILL), like a crash, and waits for its end. Clients lose their connection
  /// at once; the socket stays and refuses new ones, until ``restart(_:timeout:)``.
  ///
  /// - Parameter process: One process of a server with several; nil for all.
  /// - Throws: `notRunning`, `closed`.
  public func kill(_ process: ServerProcess? = nil) async throws(SandboxError) {
    try await end(process, with: SIGKILL)
  }

  /// Asks the server to end (SIGTERM), like a logout, and waits for its end. Its socket is then
  /// gone until ``restart(_:timeout:)``. A frozen server is continued for this.
  ///
  /// - Parameter process: One process of a server with several; nil for all.
  /// - Throws: `notRunning`, `closed`, `timedOut` if it has not ended after half a minute.
  public func terminate(_ process: ServerProcess? = nil) async throws(SandboxError) {
    try await end(process, with: SIGTERM)
  }

  /// Stops the server (SIGSTOP) until ``thaw(_:)``: connections stay, the kernel accepts new ones,
  /// and requests get no answer. A second call has no effect.
  ///
  /// - Parameter process: One process of a server with several; nil for all.
  /// - Throws: `notRunning`, `closed`, `timedOut` if it has not stopped after half a minute.
  public func freeze(_ process: ServerProcess? = nil) async throws(SandboxError) {
    try await withRunning(process) { daemons throws(SandboxError) in
      let deadline = ContinuousClock.now + Self.patience
      for daemon in daemons { _ = daemon.signal(SIGSTOP) }
      // Its threads stop one after the other, a moment later.
      for daemon in daemons {
        while daemon.isRunning, !daemon.isStopped {
          guard ContinuousClock.now < deadline else {
            throw SandboxError(.timedOut, "the server did not stop in time")
          }
          _ = poll([], for: 1)
        }
      }
    }
  }

  /// Continues a frozen server (SIGCONT); it then answers the requests that have queued up.
  ///
  /// - Parameter process: One process of a server with several; nil for all.
  /// - Throws: `notRunning`, `closed`.
  public func thaw(_ process: ServerProcess? = nil) async throws(SandboxError) {
    try await withRunning(process) { daemons in
      for daemon in daemons { _ = daemon.signal(SIGCONT) }
    }
  }

  /// The server's standard error since the sandbox was started, of all its runs; empty once the
  /// sandbox is closed.
  public func log() -> String { ServerLog(path: folder.log).text }

  private func end(_ process: ServerProcess?, with signal: Int32) async throws(SandboxError) {
    let isFront = process == nil || process == ServerProcess.front(of: configuration.server)
    let socket = isFront ? folder.socket : nil
    try await withRunning(process) { daemons throws(SandboxError) in
      let deadline = ContinuousClock.now + Self.patience
      for daemon in daemons {
        _ = daemon.signal(signal)
        _ = daemon.signal(SIGCONT)
      }
      for daemon in daemons {
        guard daemon.awaitEnd(until: deadline) else {
          throw SandboxError(.timedOut, "the server did not end in time")
        }
      }
      // A process that ends closes its descriptors in order: the life line some microseconds before
      // the socket.
      guard let socket else { return }
      while acceptsConnections(socket), milliseconds(until: deadline) > 0 { _ = poll([], for: 1) }
    }
  }
}
