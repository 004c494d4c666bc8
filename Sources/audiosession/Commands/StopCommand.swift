import ArgumentParser
import AudioSession
import JSONCoding
import POSIX

struct StopCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End the process that maintains the session; what is applied stays.",
    discussion: """
      Ends what 'apply --keep', 'watch' or the service runs, and waits until it has ended, but not \
      for its hooks. Rate and buffer are no longer held then, and nothing is restored after a \
      replug. 'audiosession revert' restores the previous setup. A program with a session of its \
      own is not ended, nor is a holder on another machine, or in a container, that shares the home \
      folder: the exit status is 76 then.

      JSON: schema; stopped: pid, name (null where no process maintains the session).
      """)

  var activity: String? { "waiting for the end of the holder" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  mutating func setPlain(_ operands: [String]) -> Bool { operands.isEmpty }

  func run(_ context: Context) async throws -> Status {
    let (stopped, isActive) = try await context.withSession { session in
      let stopped = try await Interruption.cancelling { try await Self.stop(session, options) }
      // Without a server, or with one that hangs, only what is stored is known.
      guard await session.lastSnapshot != nil, let state = try? await session.getSessionState()
      else { return (stopped, await session.hasStoredModeInEffect) }
      return (stopped, state.active)
    }
    let revert = Words.command("audiosession revert", on: options.server)
    let rest =
      isActive
      ? " Devices stay as they are; to restore what the session had changed: \(revert)" : ""
    let text =
      stopped.map { "Stopped \($0.title).\(rest)" }
      ?? "No process maintains the session; there is nothing to stop."
    return try context.output.result(json: ["stopped": stopped?.json]) {
      Layout.sentence(text, indent: 0, width: $0)
    }
  }

  /// Ends the holder; nil if there is none.
  static func stop(
    _ session: AudioSession, _ options: GlobalOptions
  ) async throws -> SessionState.Holder? {
    let manager = ServiceManager(timeout: options.timeout.duration)
    let found = await outcome { try await session.holder() }
    if case .success(let holder?) = found, ServiceUnit.runs(holder.pid) {
      // With some settings a service manager would report an externally ended process as a failure.
      if case .done = await manager.run(["stop", ServiceUnit.name]) { return holder }
      // It may have ended its session, and another process may hold: the rest is its hooks.
      guard try await session.holder()?.pid == holder.pid else { return holder }
      return try await session.endHolder() ?? holder
    }
    // A service that waits for its server holds nothing yet, and would apply the profile again.
    if (try? found.get()) == nil, ServiceUnit.isInstalled(for: options),
      let process = await manager.process(),
      case .done = await manager.run(["stop", ServiceUnit.name])
    {
      return SessionState.Holder(pid: process, name: "audiosession")
    }
    _ = try found.get()
    return try await session.endHolder()
  }
}

extension SessionState.Holder {
  /// The process as `stop` and `service status` name it.
  var json: JSONObject { ["pid": pid, "name": name] }
}
