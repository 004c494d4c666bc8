internal import POSIX
internal import PulseTypes

/// A private PulseAudio or PipeWire server with its own devices, for tests and experiments.
///
/// It shares nothing with the user's server: no socket, settings, state or sound hardware.
/// PulseAudio is ready about 30 ms after ``start(_:timeout:)``, PipeWire after about 100 ms, and
/// many sandboxes can run at once.
///
/// The server ends with ``close()``, with the last reference to this object, or with this process,
/// for whatever reason: even after SIGKILL the server ends and its folder is removed. ``close()``
/// waits for that; after the last reference, a background thread does it.
///
/// Any thread may call any method, and none blocks Swift's threads. Cancelling the task does not interrupt
/// a method that acts on the server: its deadline does.
public final class PulseSandbox: Sendable {
  /// The server's address, as for `PULSE_SERVER`: `unix:/tmp/…/pulse.sock`, or `tcp:127.0.0.1:…` if
  /// the configuration requires a cookie. A restart does not change it.
  public let address: String

  /// The folder with all files of the sandbox; only its owner can read it.
  public let directory: String

  /// The variables that direct a client to this server and away from the user's files:
  /// `PULSE_SERVER`, `PULSE_COOKIE`, `PULSE_RUNTIME_PATH`; `XDG_RUNTIME_DIR`, `XDG_STATE_HOME` and
  /// `XDG_CONFIG_HOME`, whose folders exist and are empty; `PIPEWIRE_RUNTIME_DIR`; and
  /// `AUDIOSESSION_SANDBOX`, which directs `audiosession sandbox simulate` to this sandbox.
  public let environment: [String: String]

  /// The configuration with which the server was started.
  public let configuration: SandboxConfiguration

  /// Whether the server has simulated cards, with profiles, ports and jacks.
  public var hasSimulatedCards: Bool { configuration.hasSimulatedCards }

  /// One line on what is missing without the simulated cards; nil if nothing is.
  public var notice: String? { configuration.notice }

  /// The limit for quick operations on a machine that may stall for seconds.
  static let patience = Duration.seconds(30)

  let folder: SandboxFolder
  /// The disturbances of the server.
  let otherSide = OtherSide()
  /// The server's processes; nil once the sandbox is closed.
  private let stack: Guarded<ServerStack?>

  /// Starts a server and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - configuration: The server's modules and settings.
  ///   - timeout: How long the server may take. A start takes about 30 ms, longer under load.
  /// - Throws: `programMissing`, `configuration` with the line that failed, `serverDied` with the
  ///   end of the server's log, `timedOut`, `folder`, `spawn`. A failed start leaves nothing behind.
  public static func start(
    _ configuration: SandboxConfiguration = .demo, timeout: Duration = .seconds(30)
  ) async throws(SandboxError) -> PulseSandbox {
    var programs: [ServerProcess: String] = [:]
    for process in configuration.processes {
      programs[process] = ServerProgram.path(of: process)
    }
    return try await start(configuration, timeout: timeout, programs: programs)
  }

  /// Runs `body` with a server that lasts exactly as long, and returns or throws what `body` does.
  ///
  /// A local variable does not guarantee this: Swift may release it after its last use.
  public static func with<Result>(
    _ configuration: SandboxConfiguration = .demo,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PulseSandbox) async throws -> Result
  ) async throws -> Result {
    let sandbox = try await start(configuration)
    let result = await outcome { try await body(sandbox) }
    await sandbox.close()
    return try result.get()
  }

  static func start(
    _ configuration: SandboxConfiguration, timeout: Duration, programs: [ServerProcess: String]
  ) async throws(SandboxError) -> PulseSandbox {
    let missing = configuration.processes.filter { programs[$0] == nil }
    guard missing.isEmpty else { throw ServerProgram.error(missing: missing) }
    try configuration.validate()
    let deadline = ContinuousClock.now + timeout
    let sandbox = try await onOwnThread { () throws(SandboxError) in
      try PulseSandbox(configuration, programs: programs, deadline: deadline)
    }
    do throws(SandboxError) {
      try sandbox.serveFaults()
      try await shielding { () throws(SandboxError) in
        try await sandbox.settleWithSuccessors(until: deadline)
      }
    } catch {
      await sandbox.close()
      throw error
    }
    return sandbox
  }

  private init(
    _ configuration: SandboxConfiguration, programs: [ServerProcess: String],
    deadline: ContinuousClock.Instant
  ) throws(SandboxError) {
    let port = configuration.cookieRequired ? try freePort() : nil
    let folder = try SandboxFolder(for: configuration)
    let address = port.map { "tcp:127.0.0.1:\($0)" } ?? "unix:\(folder.socket)"
    self.folder = folder
    self.configuration = configuration
    self.address = address
    directory = folder.path
    environment = folder.clientEnvironment(address: address)
    var commands: [ServerProcess: [String]] = [:]
    for (process, program) in programs {
      commands[process] = configuration.command(
        of: process, program: program, folder: folder, port: port)
    }
    let stack = ServerStack(configuration, in: folder, commands)
    do throws(SandboxError) {
      try stack.start(until: deadline)
    } catch {
      stack.endRemovingFolder()
      throw error
    }
    self.stack = Guarded(stack)
  }

  /// The log since the last start. What a client asked for in an earlier run, and did not get, is no
  /// failure of this one.
  var logOfStart: ServerLog {
    ServerLog(path: folder.log, from: stack.withLock { $0?.logStart ?? 0 })
  }

  deinit {
    // Ending takes time, and this may be any thread, even one of Swift's.
    guard stack.withLock({ $0 != nil }) else { return }
    startThread { [stack, otherSide] in
      otherSide.end()
      stack.withLock { $0?.endRemovingFolder() }
    }
  }

  /// Ends the server and removes everything of the sandbox: when this returns, about 10 ms later
  /// (two seconds for a server that does not react), its processes and its folder are gone. Clients
  /// lose their connection. A second call has no effect.
  public func close() async {
    try? await onOwnThread { [self] () throws(SandboxError) in
      otherSide.end()
      stack.withLock { stack in
        stack?.endRemovingFolder()
        stack = nil
      }
    }
  }

  /// Restarts the server on the same address, and waits until it accepts connections. Ends
  /// processes that still run. The contents of the server's state folder (volumes, with `demo` the
  /// defaults) persist; modules and streams of clients do not.
  ///
  /// - Parameters:
  ///   - process: One process of a server with several, to restart together with those that have
  ///     ended, like a service manager; nil for all.
  ///   - timeout: How long the server may take.
  /// - Throws: Like ``start(_:timeout:)``, and the sandbox is then closed; `closed`.
  public func restart(
    _ process: ServerProcess? = nil, timeout: Duration = .seconds(30)
  ) async throws(SandboxError) {
    do throws(SandboxError) {
      try await Self.shielding { [self] () throws(SandboxError) in
        let deadline = ContinuousClock.now + timeout
        try await relaunch(process, until: deadline)
        try await settleWithSuccessors(of: process, until: deadline)
      }
    } catch {
      await close()
      throw error
    }
  }

  /// Runs work to its end also when the caller's task is cancelled.
  static func shielding<Result: Sendable>(
    _ body: @escaping @Sendable () async throws(SandboxError) -> Result
  ) async throws(SandboxError) -> Result {
    try await Task { await outcome(of: body) }.value.get()
  }

  /// Waits until the server is complete. A WirePlumber that finds cards in the middle of a change may never
  /// handle one of them, nor choose defaults; its successor does, or one on a PipeWire that is started again.
  ///
  /// - Parameter process: what has just been started; nil for the whole server.
  private func settleWithSuccessors(
    of process: ServerProcess? = nil, until deadline: ContinuousClock.Instant
  ) async throws(SandboxError) {
    let time = max(.seconds(5), (deadline - .now) / 4)
    let isWhole = process == nil || process == .pipewire
    let successors: [ServerProcess?] = [.wireplumber, isWhole ? nil : .wireplumber]
    for (index, successor) in successors.enumerated() where configuration.server == .pipewire {
      let end = ContinuousClock.now + time
      guard end + time < deadline else { break }
      do throws(SandboxError) { return try await settle(until: end) } catch {
        guard error.code == .timedOut else { throw error }
        SandboxTry(
          address: address, number: index + 2, most: successors.count + 1, fault: error.message
        ).report()
        try await relaunch(successor, until: deadline, isSuccessor: true)
      }
    }
    try await settle(until: deadline)
  }

  /// Ends the named processes, and starts those that do not run.
  private func relaunch(
    _ process: ServerProcess?, until deadline: ContinuousClock.Instant, isSuccessor: Bool = false
  ) async throws(SandboxError) {
    try await onOwnThread { [self] () throws(SandboxError) in
      try stack.withLock { stack throws(SandboxError) in
        guard let stack else { throw Self.closedError }
        stack.end(process)
        try stack.start(until: deadline, isSuccessor: isSuccessor)
      }
    }
  }

  /// Runs `body` on the named processes that have not ended; nil names all.
  func withRunning<Result: Sendable>(
    _ process: ServerProcess? = nil,
    _ body: @escaping @Sendable ([Daemon]) throws(SandboxError) -> Result
  ) async throws(SandboxError) -> Result {
    try await onOwnThread { [self] () throws(SandboxError) in
      try stack.withLock { stack throws(SandboxError) in
        guard let stack else { throw Self.closedError }
        let daemons = stack.running(process)
        guard !daemons.isEmpty else {
          throw SandboxError(
            .notRunning, "the sandbox's \(process?.rawValue ?? "server") has ended",
            remedy: "restart it first")
        }
        return try body(daemons)
      }
    }
  }

  static let closedError = SandboxError(.closed, "the sandbox is closed")
}
