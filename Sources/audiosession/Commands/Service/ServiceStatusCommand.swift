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
    let result = ServiceStatusJSON(
      unit: exists ? file.path : nil,
      ours: exists ? try ServiceUnit.isOurs(file.read() ?? "") : nil,
      enabled: isThere ? await manager.word("is-enabled") : nil,
      active: isThere ? await manager.word("is-active") : nil,
      holder: await holder(context).map(HolderJSON.init))
    return try context.output.result(result) { _ in Self.lines(result) }
  }

  /// The process that holds the session; nil also if it cannot be found out.
  private func holder(_ context: Context) async -> SessionState.Holder? {
    (try? await context.withSession { try await $0.holder() }) ?? nil
  }

  private static func lines(_ status: ServiceStatusJSON) -> [Line] {
    let holder = status.holder.map { "\($0.name), process \($0.pid)" }
    let last: [Span] = ["holder", Span(holder ?? "none")]
    guard let unit = status.unit else { return Layout.columns([["unit", "not installed"], last]) }
    return Layout.columns([
      [
        "unit",
        Span(
          unit + (status.ours == true ? "" : " (not written by 'audiosession service install')")),
      ],
      ["enabled", Span(status.enabled ?? "not known")],
      ["active", Span(status.active ?? "not known")], last,
    ])
  }
}

struct ServiceStatusJSON: EncodableWithNulls {
  let schema = 1
  let unit: String?
  let ours: Bool?
  let enabled: String?
  let active: String?
  let holder: HolderJSON?
}
