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
    isHolding: Bool = false, trace: TraceFile? = nil, _ body: (AudioSession) async throws -> Result
  ) async throws -> Result {
    guard options.sandbox else {
      return try await withSession(options.server, store: nil, isHolding, trace, body)
    }
    return try await PulseSandbox.with(.demo(on: options.sandboxServer)) { sandbox in
      if let notice = sandbox.notice { output.note(notice) }
      let state = sandbox.environment["XDG_STATE_HOME"] ?? sandbox.directory
      return try await withSession(
        sandbox.address, store: state + "/audiosession", isHolding, trace, body)
    }
  }

  private func withSession<Result: Sendable>(
    _ server: String?, store: String?, _ isHolding: Bool, _ trace: TraceFile?,
    _ body: (AudioSession) async throws -> Result
  ) async throws -> Result {
    var configuration = SessionConfiguration(
      timeout: options.timeout.duration, storeFolder: store, isHolding: isHolding,
      holdsWithoutWish: isHolding, name: "audiosession", logger: logger)
    if let trace { configuration.tracer = { trace.write($0) } }
    let session = AudioSession(server: server, configuration: configuration)
    do {
      let result = try await body(session)
      await session.close()
      return result
    } catch {
      await session.close()
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
