import ArgumentParser
import AudioSession
import JSONCoding

struct ServiceStatusCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show whether the service is installed and runs, and what maintains the session.",
    discussion: """
      JSON: schema; unit (null without one); ours (whether 'service install' wrote it); enabled and \
      active, in systemctl's words, null where it cannot be asked; holder (pid, name), null if no \
      process maintains the session.
      """)

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !options.sandbox else {
      throw ValidationError("a sandbox has no service; leave --sandbox out")
    }
  }

  func run(_ context: Context) async throws -> Status {
    let file = try ServiceFile()
    let manager = ServiceManager(timeout: options.timeout.duration)
    let isThere = await manager.absence() == nil
    let exists = try file.exists
    let unit = exists ? file.path : nil
    let isOurs = exists ? try ServiceUnit.isOurs(file.read() ?? "") : nil
    let enabled = isThere ? await manager.word("is-enabled") : nil
    let active = isThere ? await manager.word("is-active") : nil
    let holder = await holder(context)
    return try context.output.result(json: [
      "unit": unit, "ours": isOurs, "enabled": enabled, "active": active,
      "holder": holder?.json,
    ]) { _ in
      let name = holder.map { "\($0.name), process \($0.pid)" }
      let last: [Span] = ["holder", Span(name ?? "none")]
      guard let unit else { return Layout.columns([["unit", "not installed"], last]) }
      let note = isOurs == true ? "" : " (not written by 'audiosession service install')"
      return Layout.columns([
        ["unit", Span(unit + note)], ["enabled", Span(enabled ?? "not known")],
        ["active", Span(active ?? "not known")], last,
      ])
    }
  }

  /// The process that holds the session; nil also if it cannot be found out.
  private func holder(_ context: Context) async -> SessionState.Holder? {
    (try? await context.withSession { try await $0.holder() }) ?? nil
  }
}
