internal import Glibc
internal import POSIX

extension PulseSandbox {
  /// Runs a command inside the sandbox, with this process's standard input, output and error, and
  /// waits for its end. The command inherits no other descriptor.
  ///
  /// Ctrl-C and Ctrl-\ reach the command and are ignored here in the meantime, as with system(3).
  /// Cancelling the task sends SIGTERM to the command and still waits for its end.
  ///
  /// - Parameters:
  ///   - command: The program, looked up in `PATH`, and its arguments.
  ///   - environment: The variables over which the sandbox's ``environment`` is merged; by default
  ///     this process's. Variables that begin with `PULSE_` or `PIPEWIRE_` are dropped, because they could select
  ///     another server.
  /// - Returns: The exit status, as ``CommandResult/status``.
  /// - Throws: `commandNotFound`, `spawn`.
  @discardableResult
  public func run(
    _ command: [String], environment: [String: String]? = nil
  ) async throws(SandboxError) -> Int32 {
    try await run(command, environment: environment, endingWith: SIGTERM)
  }

  /// The same with another signal: a shell at its prompt ignores SIGTERM.
  package func run(
    _ command: [String], environment: [String: String]?, endingWith signal: Int32
  ) async throws(SandboxError) -> Int32 {
    var launch = try makeLaunch(command, environment)
    launch.keepsNohup = true
    TerminalSignals.ignore()
    defer { TerminalSignals.restore() }
    let running = try Command(launch)
    return try await Self.cancelling(running, with: signal) { () throws(SandboxError) in
      running.awaitEnd()
    }
  }

  /// Runs a command inside the sandbox, without input and in a new process group, and collects its
  /// output.
  ///
  /// Waits until the command and its children have closed their output. Cancelling the task kills
  /// the group.
  ///
  /// - Parameters:
  ///   - command: The program, looked up in `PATH`, and its arguments.
  ///   - environment: As for ``run(_:environment:)``.
  ///   - timeout: The time limit; at its end the whole group is killed.
  /// - Throws: `commandNotFound`, `spawn`, `timedOut` with what it wrote until then.
  public func capture(
    _ command: [String], environment: [String: String]? = nil, timeout: Duration = .seconds(10)
  ) async throws(SandboxError) -> CommandResult {
    try await makeLaunch(command, environment).collect(within: timeout)
  }

  private func makeLaunch(
    _ command: [String], _ environment: [String: String]?
  ) throws(SandboxError) -> Launch {
    // These could lead to the user's server.
    var merged = (environment ?? ProcessEnvironment.all).filter { variable in
      !["PULSE_", "PIPEWIRE_"].contains { variable.key.hasPrefix($0) }
    }
    merged.merge(self.environment) { _, ours in ours }
    return try Launch(command, merged)
  }

  static func cancelling<Result: Sendable>(
    _ command: Command, with signal: Int32,
    _ body: @escaping @Sendable () throws(SandboxError) -> Result
  ) async throws(SandboxError) -> Result {
    let result = await withTaskCancellationHandler {
      await outcome { () async throws(SandboxError) in try await onOwnThread(body) }
    } onCancel: {
      command.signal(signal)
    }
    return try result.get()
  }
}

/// A command whose output is collected.
final class Capture: Sendable {
  let command: Command
  private let output: Descriptor
  private let error: Descriptor

  init(_ launch: Launch) throws(SandboxError) {
    var launch = launch
    let output = try Pipe.make()
    let error = try Pipe.make()
    launch.descriptors += [(1, output.writing.raw), (2, error.writing.raw)]
    command = try Command(launch)
    self.output = output.reading
    self.error = error.reading
  }

  /// Reads both pipes as they fill, so that neither can block the command.
  func result(
    until deadline: ContinuousClock.Instant, keeping limit: Int = .max
  ) throws(SandboxError) -> CommandResult {
    var texts: [[UInt8]] = [[], []]
    var isOpen = [true, true]
    while isOpen.contains(true) {
      let left = milliseconds(until: deadline)
      guard left > 0 else { throw timedOut(texts) }
      let ready = poll(
        [.input(isOpen[0] ? output.raw : -1), .input(isOpen[1] ? error.raw : -1)], for: left)
      if ready[0] { isOpen[0] = output.read(into: &texts[0]) }
      if ready[1] { isOpen[1] = error.read(into: &texts[1]) }
      for index in texts.indices where texts[index].count > limit {
        texts[index].removeLast(texts[index].count - limit)
      }
    }
    guard let status = command.awaitEnd(until: deadline) else { throw timedOut(texts) }
    return CommandResult(
      status: status, standardOutput: String(decoding: texts[0], as: UTF8.self),
      standardError: String(decoding: texts[1], as: UTF8.self))
  }

  private func timedOut(_ texts: [[UInt8]]) -> SandboxError {
    command.signal(SIGKILL)
    _ = command.awaitEnd()
    let text = texts.map { String(decoding: $0, as: UTF8.self) }.joined()
    return SandboxError(.timedOut, "the command did not end in time; it wrote:\n\(text)")
  }
}
