import ArgumentParser
import AudioSession
import JSONCoding

struct ServiceUninstallCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall",
    abstract: "Stop the service, disable it and remove its unit.",
    discussion: """
      The applied settings stay; 'audiosession revert' restores the earlier ones.

      JSON: schema, unit, removed, commands (those that you still have to run).
      """)

  var activity: String? { "waiting for the service" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws { try ServiceCommand.validate(options) }

  func run(_ context: Context) async throws -> Status {
    let file = try ServiceFile()
    guard try file.exists else { return try report(file, removed: false, left: [], context.output) }
    guard try ServiceUnit.isOurs(file.read() ?? "") else { throw file.isForeign }
    let manager = ServiceManager(timeout: options.timeout.duration)
    let absence = await manager.absence()
    if absence == nil {
      // Before the file is removed: without it systemd does not know what to disable.
      switch await manager.run(["disable", "--now", ServiceUnit.name]) {
      case .done: break
      case .failed(let reason):
        throw SessionError(
          .refused, stage: .session, "the service was not stopped; its unit is left: \(reason)",
          alternatives: ["try: systemctl --user disable --now audiosession"])
      case .waiting:
        throw SessionError(
          .timedOut, stage: .session,
          "the service was still stopping after \(options.timeout), so its unit is not removed yet",
          alternatives: ["try again, or with a longer --timeout"])
      }
    }
    try file.remove()
    var left: [String] = []
    if let absence {
      context.output.note("systemd's user service manager is not available: \(absence)")
      left = ServiceManager.left("stop audiosession", "daemon-reload")
    } else {
      _ = await manager.run(["daemon-reload"])
    }
    return try report(file, removed: true, left: left, context.output)
  }

  private func report(
    _ file: ServiceFile, removed: Bool, left: [String], _ output: Output
  ) throws -> Status {
    return try output.result(json: ["unit": file.path, "removed": removed, "commands": left]) { _ in
      guard removed else { return [["no service is installed"]] }
      let lines: [Line] = [["removed  ", Span(file.path)]]
      return left.isEmpty ? lines : lines + [["left to do:"]] + left.map { ["  ", Span($0)] }
    }
  }
}
