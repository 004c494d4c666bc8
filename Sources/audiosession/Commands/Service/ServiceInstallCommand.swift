import ArgumentParser
import AudioSession
import PulseSandbox

/// `service install`
struct ServiceInstallCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Write the unit, enable it and start it.",
    discussion: """
      The unit is $XDG_CONFIG_HOME/systemd/user/audiosession.service. Where no service manager can \
      be asked, the commands that are left to do are printed.

      JSON: schema, unit, program, started, commands (those that are left to do).
      """)

  @Flag(help: "Replace a unit that was written by somebody else.")
  var force = false

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws { try ServiceCommand.validate(options) }

  func run(_ context: Context) async throws -> Status {
    let program = Keeper.programPath
    let text = try ServiceUnit.text(program: program, environment: Self.environment)
    let file = try ServiceFile()
    if file.exists, !force, try !ServiceUnit.isOurs(file.read() ?? "") {
      var error = file.isForeign
      error.alternatives.append("replace it: audiosession service install --force")
      throw error
    }
    try file.write(text)
    let manager = ServiceManager(timeout: options.timeout.duration)
    var left: [String] = []
    if let absence = await manager.absence() {
      context.output.note("no service manager was asked: \(absence)")
      left = ["systemctl --user daemon-reload", "systemctl --user enable --now audiosession"]
    } else {
      try await start(manager, context.output)
    }
    let result = ServiceInstallJSON(
      unit: file.path, program: program, started: left.isEmpty, commands: left)
    try context.output.result(result) { _ in Self.lines(result) }
    return .done
  }

  /// Enables and starts the unit. A running unit is restarted, so that it uses the current program.
  private func start(_ manager: ServiceManager, _ output: Output) async throws {
    for words in [["daemon-reload"], ["enable", ServiceUnit.name], ["restart", ServiceUnit.name]] {
      let outcome =
        words.count == 1
        ? await manager.run(words[0]) : await manager.run(words[0], words[1])
      switch outcome {
      case .done: continue
      case .waiting: output.note("systemctl \(words[0]) is still at work; see 'service status'")
      case .failed(let reason):
        throw SessionError(
          .refused, stage: .session,
          "the unit is written, but 'systemctl --user \(words.joined(separator: " "))' failed: "
            + reason,
          alternatives: ["see why: journalctl --user -u audiosession"])
      }
    }
  }

  private static func lines(_ result: ServiceInstallJSON) -> [Line] {
    var lines: [Line] = [["wrote    ", Span(result.unit)]]
    guard result.commands.isEmpty else {
      return lines + [["left to do:"]] + result.commands.map { ["  ", Span($0)] }
    }
    lines.append(["enabled  it starts with every login"])
    lines.append(["started  it keeps what was applied last"])
    return lines
  }

  /// Variables that select the same stored mode, profiles and server as here, which a service
  /// manager may lack.
  private static var environment: [(name: String, value: String)] {
    ["PULSE_SERVER", "PULSE_COOKIE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"].compactMap { name in
      ServiceFile.variable(name).map { (name, $0) }
    }
  }
}

/// `service install --json`
struct ServiceInstallJSON: Encodable {
  let schema = 1
  let unit: String
  let program: String
  let started: Bool
  let commands: [String]
}
