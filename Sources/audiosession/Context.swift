import AudioSession
import Logging
import POSIX
import PulseSandbox
import SessionProfiles

/// The environment of a command.
struct Context: Sendable {
  let options: GlobalOptions
  let output: Output
  /// The hooks whose end is waited for once the result is printed: each session has its own.
  private let remaining = Guarded<[Hooks]>([])

  /// Waits a limited time for the hooks that still run.
  func finish() async {
    await withTaskGroup { group in
      for hooks in remaining.withLock({ $0 }) { group.addTask { await hooks.finish() } }
    }
  }

  /// Runs `body` with a session on the server of the options, and closes it afterwards.
  ///
  /// With `--sandbox` the server is a private one that lasts as long, with the store inside its
  /// folder.
  ///
  /// - Parameter isForService: whether a holding session serves all programs instead of only this
  ///   one.
  func withSession<Result: Sendable>(
    isHolding: Bool = false, isForService: Bool = true, trace: TraceFile? = nil,
    hooks: Hooks? = nil, _ body: (AudioSession) async throws -> Result
  ) async throws -> Result {
    var configuration = SessionConfiguration(
      timeout: options.timeout.duration, isHolding: isHolding, name: "audiosession",
      logger: logger)
    configuration.holdsWithoutMode = isHolding && isForService
    if let trace { configuration.tracer = { trace.write($0) } }
    if let hooks {
      configuration.observer = hooks.observer
      remaining.withLock { $0.append(hooks) }
    }
    guard options.sandbox else {
      return try await Self.withSession(options.server, configuration, body)
    }
    return try await PulseSandbox.with(.demo(on: options.sandboxServer)) { sandbox in
      if let notice = sandbox.notice { output.note(notice) }
      return try await Self.withSession(in: sandbox, configuration, body)
    }
  }

  /// Runs `body` with a session on a private server, whose folder has the store.
  static func withSession<Result: Sendable>(
    in sandbox: PulseSandbox, _ configuration: SessionConfiguration,
    _ body: (AudioSession) async throws -> Result
  ) async throws -> Result {
    var inside = configuration
    let state = sandbox.environment["XDG_STATE_HOME"] ?? sandbox.directory
    inside.storeFolder = state + "/audiosession"
    return try await withSession(sandbox.address, inside, body)
  }

  /// Runs `body` with a session that applies the given profile, if any, only to this command's
  /// streams.
  func withOwnSession<Result: Sendable>(
    _ profile: String?, _ body: (AudioSession) async throws -> Result
  ) async throws -> Result {
    guard let profile else { return try await withSession(body) }
    let found = try Profile.found(profile)
    return try await withSession(isHolding: true, isForService: false) { session in
      var mode = found.mode
      mode.scope = .application
      let state = try await session.setAudioMode(mode, profile: found.name).state
      for warning in ApplyNotes.warnings(state) { output.warning(warning) }
      return try await body(session)
    }
  }

  private static func withSession<Result: Sendable>(
    _ server: String?, _ configuration: SessionConfiguration,
    _ body: (AudioSession) async throws -> Result
  ) async throws -> Result {
    let session = AudioSession(server: server, configuration: configuration)
    let result = await outcome { try await body(session) }
    await session.close()
    return try result.get()
  }

  /// The logger for `-v`; nil without it.
  var logger: Logger? {
    guard options.verbose > 0 else { return nil }
    let handler = MessageLog(output: output)
    var logger = Logger(label: "audiosession") { _ in handler }
    logger.logLevel = options.verbose > 1 ? .trace : .debug
    return logger
  }
}
