internal import Glibc

/// A private PulseAudio server with devices of its own, for tests and for trying things out.
///
/// It shares nothing with the user's server: not the socket, not the settings, not the state, not
/// the sound hardware. It is ready some 30 ms after ``start(_:timeout:)``, and many can run at once.
///
/// It ends with ``close()``, with the last reference to this object, or with this process, however
/// that ends: even after SIGKILL the server and its folder go. ``close()`` waits until they are
/// gone; the last reference leaves that to a thread in the background.
///
/// Each method may be called from any thread. Those that act on the server take turns, and do not
/// block a thread of Swift's; cancelling the task does not interrupt them, their deadlines do.
public final class PulseSandbox: Sendable {
  /// Where clients find the server, as `PULSE_SERVER` takes it: `unix:/tmp/…/pulse.sock`, or
  /// `tcp:127.0.0.1:…` for a configuration with a required cookie. The same after a restart.
  public let address: String

  /// The folder with all that is the sandbox's; only its owner can read it.
  public let directory: String

  /// The variables that lead a client to this server and keep it away from all that is the user's:
  /// `PULSE_SERVER`, `PULSE_COOKIE`, `PULSE_RUNTIME_PATH`, `XDG_RUNTIME_DIR`, `XDG_STATE_HOME` and
  /// `XDG_CONFIG_HOME`. The folders exist, and are empty. `AUDIOSESSION_SANDBOX` leads
  /// `audiosession sandbox simulate` here.
  public let environment: [String: String]

  /// What the server was started with.
  public let configuration: SandboxConfiguration

  /// Whether the server has simulated cards, with profiles, ports and jacks.
  public var hasSimulatedCards: Bool { configuration.hasSimulatedCards }

  /// One line on what is lost because the simulated cards are missing; nil when nothing is.
  public var notice: String? { configuration.notice }

  let folder: SandboxFolder
  /// Who disturbs the server.
  let otherSide = OtherSide()
  /// The server's program and its arguments.
  let command: [String]
  /// The server that runs, or ran last; nil once the sandbox is closed.
  private let daemon: Locked<Daemon?>

  /// Starts a server and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - configuration: The server's modules and settings.
  ///   - timeout: How long the server may take. A start takes some 30 ms; under load, longer.
  /// - Throws: `programMissing`, `configuration` with the line that failed, `serverDied` with the
  ///   end of the server's log, `timedOut`, `folder`, `spawn`. Nothing is left behind then.
  public static func start(
    _ configuration: SandboxConfiguration = .demo, timeout: Duration = .seconds(10)
  ) async throws(SandboxError) -> PulseSandbox {
    try await start(configuration, timeout: timeout, program: ServerProgram.pulseaudio)
  }

  /// Runs `body` with a server that lives exactly as long, and passes on what it returns or throws.
  ///
  /// A local variable does not promise as much: Swift may let go of it after its last use.
  public static func with<Result>(
    _ configuration: SandboxConfiguration = .demo,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PulseSandbox) async throws -> Result
  ) async throws -> Result {
    let sandbox = try await start(configuration)
    do {
      let result = try await body(sandbox)
      await sandbox.close()
      return result
    } catch {
      await sandbox.close()
      throw error
    }
  }

  static func start(
    _ configuration: SandboxConfiguration, timeout: Duration, program: String?
  ) async throws(SandboxError) -> PulseSandbox {
    guard let program else { throw ServerProgram.missing }
    return try await onOwnThread { () throws(SandboxError) in
      try PulseSandbox(configuration, program: program, deadline: .now + timeout)
    }
  }

  private init(
    _ configuration: SandboxConfiguration, program: String, deadline: ContinuousClock.Instant
  ) throws(SandboxError) {
    let port = configuration.cookieRequired ? try freePort() : nil
    let folder = try SandboxFolder(for: configuration)
    let address = port.map { "tcp:127.0.0.1:\($0)" } ?? "unix:\(folder.socket)"
    self.folder = folder
    self.configuration = configuration
    self.address = address
    directory = folder.path
    environment = folder.clientEnvironment(address: address)
    command = [program] + configuration.arguments(folder: folder, port: port)
    daemon = Locked(
      try Self.launch(command, in: folder, configuration, until: deadline))
  }

  deinit {
    // Ending takes time, and this may be any thread: a thread of Swift's too.
    guard daemon.withLock({ $0 != nil }) else { return }
    startThread { [daemon, folder, otherSide] in
      otherSide.end()
      daemon.withLock { $0?.end(removing: folder) }
    }
  }

  /// Starts a server in the folder. When that fails, the folder goes: the sandbox is closed.
  private static func launch(
    _ command: [String], in folder: SandboxFolder, _ configuration: SandboxConfiguration,
    until deadline: ContinuousClock.Instant
  ) throws(SandboxError) -> Daemon {
    var started: Daemon?
    do throws(SandboxError) {
      let logged = ServerLog(path: folder.log).text.utf8.count
      let readiness = Readiness(folder: folder)
      let daemon = try Daemon(command: command, folder: folder)
      started = daemon
      try daemon.awaitProcessID(until: deadline)
      let outcome = readiness.await(daemon, until: deadline)
      let log = ServerLog(path: folder.log, from: logged)
      if let error = log.failure(in: configuration) { throw error }
      switch outcome {
      case .ready: return daemon
      case .died: throw SandboxError(.serverDied, "the server ended at its start:\n\(log.tail)")
      case .timedOut:
        throw SandboxError(.timedOut, "the server was not ready in time:\n\(log.tail)")
      }
    } catch {
      if let started { started.end(removing: folder) } else { folder.remove() }
      throw error
    }
  }

  /// Ends the server and everything of the sandbox: its processes and its folder are gone when this
  /// returns, some 10 ms later (two seconds for a server that does not react). A second call does
  /// nothing. Clients see the connection end.
  public func close() async {
    try? await onOwnThread { [self] () throws(SandboxError) in
      otherSide.end()
      daemon.withLock { daemon in
        daemon?.end(removing: folder)
        daemon = nil
      }
    }
  }

  /// Starts the server again on the same address, and waits until it accepts connections. One that
  /// still runs is ended first. What the server keeps in its state folder (volumes, with `demo` the
  /// defaults) is still there; modules and streams of clients are not.
  ///
  /// - Parameter timeout: How long the server may take.
  /// - Throws: As ``start(_:timeout:)``; the sandbox is then closed. `closed`.
  public func restart(timeout: Duration = .seconds(10)) async throws(SandboxError) {
    try await onOwnThread { [self] () throws(SandboxError) in
      try daemon.withLock { daemon throws(SandboxError) in
        guard let former = daemon else { throw Self.closedError }
        former.end()
        daemon = nil
        daemon = try Self.launch(command, in: folder, configuration, until: .now + timeout)
      }
    }
  }

  /// Runs `body` on a server that has not ended.
  func withRunningServer<Result: Sendable>(
    _ body: @escaping @Sendable (Daemon) throws(SandboxError) -> Result
  ) async throws(SandboxError) -> Result {
    try await onOwnThread { [self] () throws(SandboxError) in
      try daemon.withLock { daemon throws(SandboxError) in
        guard let daemon else { throw Self.closedError }
        guard daemon.isRunning else {
          throw SandboxError(
            .notRunning, "the sandbox's server has ended", remedy: "restart it first")
        }
        return try body(daemon)
      }
    }
  }

  static let closedError = SandboxError(.closed, "the sandbox is closed")
}
