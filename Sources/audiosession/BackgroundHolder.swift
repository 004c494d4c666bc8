import AudioSession
import Glibc
import POSIX

/// Starts a holder for a mode that was just applied: the service if it is installed, otherwise
/// `watch` in the background.
struct BackgroundHolder {
  let options: GlobalOptions
  /// The process that holds the session of the server that was meant.
  let holder: @Sendable () async -> pid_t?

  /// Returns once the holder reports that it is ready.
  func start() async throws(SessionError) {
    // The service may maintain another server than this one.
    if try await startService(), await holder() != nil { return }
    try checkCancellation()
    let listener = try NotifyListener()
    let log = SessionConfiguration.holderLog(on: options.server)
    let child = try spawn(listener, log)
    let limit = options.timeout
    guard await listener.waitForReady(of: child, atMost: limit.duration) else {
      // It must not get ready later, when no program waits for it.
      let isLate = kill(child, SIGTERM) == 0
      try checkCancellation()
      // That of another command, or one that was interrupted, was faster.
      if let other = await holder(), other != child { return }
      let reason =
        isLate
        ? "the holder did not become ready within \(limit); --timeout sets how long to wait"
        : "the holder ended"
      // How it ends is what matters: warnings may stand before.
      let words = File.text(log).suffix(2000).split(separator: "\n").joined(separator: " ")
      throw SessionError(
        isLate ? .timedOut : .activationFailed, stage: .session,
        "the profile is applied, and no process maintains it: \(reason)"
          + (words.isEmpty ? "" : "; its log: \(words)"),
        value: String(child), restored: false)
    }
  }

  private func checkCancellation() throws(SessionError) {
    guard Task.isCancelled else { return }
    throw SessionError(
      .cancelled, stage: .session,
      "cancelled: the profile is applied, and no process maintains it", restored: false)
  }

  /// Starts our service; false if it is not installed for this server.
  private func startService() async throws(SessionError) -> Bool {
    let manager = ServiceManager(timeout: options.timeout.duration)
    guard ServiceUnit.isInstalled(for: options), await manager.absence() == nil else {
      return false
    }
    // The service is ready once it maintains the stored mode.
    switch await manager.run(["start", ServiceUnit.name]) {
    // Another holder may be there although it did not start.
    case .done, .failed: return true
    case .waiting:
      if await holder() != nil { return true }
      // A second holder would wait behind it, or it behind that.
      throw SessionError(
        .timedOut, stage: .session,
        "the profile is applied, and the service that is to maintain it is still starting; see "
          + "'audiosession service status'", restored: false)
    }
  }

  /// Starts a `watch`, which adopts the stored mode and survives the end of this program's
  /// terminal.
  private func spawn(_ listener: borrowing NotifyListener, _ log: String) throws(SessionError)
    -> pid_t
  {
    var arguments = ["watch"]
    if let server = options.server { arguments += ["--server", server] }
    // What needs longer for the command needs it for the holder, too.
    if options.timeout.duration > SessionConfiguration().timeout {
      arguments += ["--timeout", options.timeout.description]
    }
    // A hook may have started this program. The holder outlives the hook and runs hooks itself, as
    // the service does.
    let inherited = ProcessEnvironment.all.filter { !Hooks.variables.contains($0.key) }
    // In a new session, which no terminal can end.
    let launch = Launch(
      program: File.program, arguments: arguments,
      environment: inherited.merging(["NOTIFY_SOCKET": listener.address]) { $1 },
      files: [
        (0, "/dev/null", O_RDONLY), (1, "/dev/null", O_WRONLY),
        // Appended to: a holder that is about to end may still write.
        (2, log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND),
      ], group: .ownSession)
    Self.keepFilesToOneself()
    // The holder must not keep the file system of the current folder in use.
    let folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    chdir("/")
    defer {
      fchdir(folder)
      close(folder)
    }
    do throws(SystemError) { return try launch.spawn() } catch {
      throw SessionError(
        .activationFailed, stage: .session,
        "the profile is applied, and no process maintains it: the holder could not be started (\(error))",
        restored: false)
    }
  }

  /// Inherited files would stay open, and locked, after the caller's end.
  private static func keepFilesToOneself() {
    for case let number? in Folder.names("/proc/self/fd").map({ Int32($0) }) where number > 2 {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
  }
}
