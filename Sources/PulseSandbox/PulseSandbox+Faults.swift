internal import Glibc

extension PulseSandbox {
  /// The server's process; nil when it has ended, or the sandbox is closed.
  public func processID() async -> Int32? {
    try? await withRunningServer { daemon in daemon.processID }
  }

  /// Kills the server (SIGKILL), as a crash would, and waits for its end. Clients lose their
  /// connection at once; the socket stays and refuses new ones, until ``restart(timeout:)``.
  ///
  /// - Throws: `notRunning`, `closed`.
  public func kill() async throws(SandboxError) {
    try await end(with: SIGKILL)
  }

  /// Asks the server to end (SIGTERM), as a logout would, and waits for its end. The socket is gone
  /// then, until ``restart(timeout:)``. A frozen server is thawed for it.
  ///
  /// - Throws: `notRunning`, `closed`, `timedOut` when it has not ended after five seconds.
  public func terminate() async throws(SandboxError) {
    try await end(with: SIGTERM)
  }

  /// Stops the server (SIGSTOP): connections stay, new ones are accepted by the kernel, and nothing
  /// is answered, until ``thaw()``. A second call changes nothing.
  ///
  /// - Throws: `notRunning`, `closed`.
  public func freeze() async throws(SandboxError) {
    try await withRunningServer { daemon in
      _ = daemon.signal(SIGSTOP)
      // Its threads stop one after the other, a moment later.
      while daemon.isRunning, !daemon.isStopped { _ = poll([], for: 1) }
    }
  }

  /// Lets a frozen server go on (SIGCONT); it answers what has queued up meanwhile.
  ///
  /// - Throws: `notRunning`, `closed`.
  public func thaw() async throws(SandboxError) {
    try await withRunningServer { daemon in _ = daemon.signal(SIGCONT) }
  }

  /// What the server has written to its standard error since the sandbox was started, all its runs
  /// together; empty once the sandbox is closed.
  public func log() -> String { ServerLog(path: folder.log).text }

  private func end(with signal: Int32) async throws(SandboxError) {
    let socket = folder.socket
    try await withRunningServer { daemon throws(SandboxError) in
      let deadline = ContinuousClock.now + .seconds(5)
      _ = daemon.signal(signal)
      _ = daemon.signal(SIGCONT)
      guard daemon.awaitEnd(until: deadline) else {
        throw SandboxError(.timedOut, "the server did not end in five seconds")
      }
      // A process that ends closes its descriptors in order: the life line some µs before the
      // socket.
      while acceptsConnections(socket), milliseconds(until: deadline) > 0 { _ = poll([], for: 1) }
    }
  }
}
