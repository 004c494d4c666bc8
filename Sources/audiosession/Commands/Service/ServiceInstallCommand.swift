import ArgumentParser
import AudioSession
import JSONCoding
import POSIX

struct ServiceInstallCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Write the unit, enable it and start it.",
    discussion: """
      The unit is $XDG_CONFIG_HOME/systemd/user/audiosession.service. If there is no service manager, \
      the commands that you still have to run are printed.

      JSON: schema, unit, program, started, commands (those that you still have to run).
      """)

  @Flag(help: "Replace a unit that this program did not write.")
  var force = false

  var activity: String? { "waiting for the service" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws { try ServiceCommand.validate(options) }

  func run(_ context: Context) async throws -> Status {
    let program = File.program
    let text = try ServiceUnit.text(program: program, environment: Self.environment)
    let file = try ServiceFile()
    if try file.exists, !force, try !ServiceUnit.isOurs(file.read() ?? "") {
      var error = file.isForeign
      error.alternatives.append("replace it: audiosession service install --force")
      throw error
    }
    try file.write(text)
    let manager = ServiceManager(timeout: options.timeout.duration)
    var left: [String] = []
    var isStarted = false
    if let absence = await manager.absence() {
      context.output.note("systemd's user service manager is not available: \(absence)")
      left = ServiceManager.left("daemon-reload", "enable --now audiosession")
    } else {
      isStarted = try await Interruption.cancelling { try await start(manager, context) }
    }
    return try context.output.result(json: [
      "unit": file.path, "program": program, "started": isStarted, "commands": left,
    ]) { _ in
      let wrote: [Line] = [["wrote    ", Span(file.path)]]
      guard isStarted else {
        return left.isEmpty ? wrote : wrote + [["left to do:"]] + left.map { ["  ", Span($0)] }
      }
      return wrote + [
        ["enabled  it starts at every login"],
        ["started  it maintains the profile that was applied last"],
      ]
    }
  }

  /// Ends a process that 'apply --keep' or 'watch' left behind, or the service would wait behind it.
  private func takeOver(_ context: Context) async throws {
    do {
      let ended = try await context.withSession { session -> SessionState.Holder? in
        guard let holder = try await session.holder(), !ServiceUnit.runs(holder.pid) else {
          return nil
        }
        return try await session.endHolder()
      }
      if let ended {
        context.output.note("the service replaces \(ended.title), which maintained the session")
      }
    } catch let error as SessionError where Status(error) == .noServer {
      // No server, no holder.
    }
  }

  /// Enables and starts the unit; false if it is not known yet whether it starts. A running unit is
  /// restarted, so that it uses the current program.
  private func start(_ manager: ServiceManager, _ context: Context) async throws -> Bool {
    var isDone = true
    for words in [["daemon-reload"], ["enable", ServiceUnit.name], ["restart", ServiceUnit.name]] {
      // Only now: the holder stays if the manager does not accept the unit.
      if words[0] == "restart" {
        do { try await takeOver(context) } catch var error as SessionError {
          error.message += "; the service is enabled, and not started"
          throw error
        }
      }
      switch await manager.run(words) {
      case .done: continue
      case .waiting:
        isDone = false
        context.output.note(
          "systemctl \(words[0]) is still at work; see 'audiosession service status'")
      case .failed(let reason):
        guard !Task.isCancelled else {
          throw SessionError(
            .cancelled, stage: .session,
            "cancelled at 'systemctl --user \(words[0])'; see 'audiosession service status'")
        }
        throw SessionError(
          .refused, stage: .session,
          "the unit is written, but 'systemctl --user \(words.joined(separator: " "))' failed: "
            + reason,
          alternatives: ["see why: journalctl --user -u audiosession"])
      }
    }
    return isDone
  }

  /// Variables that select the same stored mode, profiles and server as here, which a service
  /// manager may lack.
  static var environment: [(name: String, value: String)] {
    ["PULSE_SERVER", "PULSE_COOKIE", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_STATE_HOME"]
      .compactMap { name in
        ProcessEnvironment[name].map { (name, $0) }
      }
  }
}
