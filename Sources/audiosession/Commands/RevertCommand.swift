import ArgumentParser
import AudioSession

/// `revert`
struct RevertCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract: "Go back to what was before the first apply.",
    discussion: """
      Undoes each setting that still has the value it was given; what somebody changed since is \
      left and listed.

      JSON: schema; steps, as of 'apply'; left.
      """)

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let hooks = Hooks(options: options, output: context.output)
    let report = try await context.withSession(hooks: hooks) { session in
      try await Interruption.cancelling { try await session.revert() }
    }
    try context.output.result(RevertJSON(report)) { RevertView.lines(report, width: $0) }
    for note in report.state.notes { context.output.warning(note) }
    return .done
  }
}
