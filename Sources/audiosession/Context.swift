import AudioSession
import Glibc
import Logging
import PulseSandbox

/// What a command works with.
struct Context: Sendable {
  let options: GlobalOptions
  let output: Output

  /// Runs `body` with a session on the server that the options name, and closes it afterwards.
  ///
  /// With `--sandbox` that is a private server which lives as long, and the store is inside it.
  func withSession<Result: Sendable>(
    isHolding: Bool = false, trace: TraceFile? = nil, hooks: Hooks? = nil,
    _ body: (AudioSession) async throws -> Result
  ) async throws -> Result {
    var configuration = SessionConfiguration(
      timeout: options.timeout.duration, isHolding: isHolding, holdsWithoutWish: isHolding,
      name: "audiosession", logger: logger)
    if let trace { configuration.tracer = { trace.write($0) } }
    configuration.observer = hooks?.observer
    guard options.sandbox else {
      return try await withSession(options.server, configuration, hooks, body)
    }
    return try await PulseSandbox.with(.demo(on: options.sandboxServer)) { sandbox in
      if let notice = sandbox.notice { output.note(notice) }
      let state = sandbox.environment["XDG_STATE_HOME"] ?? sandbox.directory
      var inside = configuration
      inside.storeFolder = state + "/audiosession"
      return try await withSession(sandbox.address, inside, hooks, body)
    }
  }

  private func withSession<Result: Sendable>(
    _ server: String?, _ configuration: SessionConfiguration, _ hooks: Hooks?,
    _ body: (AudioSession) async throws -> Result
  ) async throws -> Result {
    let session = AudioSession(server: server, configuration: configuration)
    do {
      let result = try await body(session)
      await session.close()
      await hooks?.finish()
      return result
    } catch {
      await session.close()
      await hooks?.finish()
      throw error
    }
  }

  private var logger: Logger? {
    guard options.verbose > 0 else { return nil }
    let handler = MessageLog(output: output)
    var logger = Logger(label: "audiosession") { _ in handler }
    logger.logLevel = options.verbose > 1 ? .trace : .debug
    return logger
  }
}
