import ArgumentParser
import AudioSession

/// `revert`
struct RevertCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract: "Go back to what was before the first apply.",
    discussion: """
      Undoes each setting that still has the value it was given; what another program changed since \
      is left and listed. What belongs to an unplugged device is listed, too, and restored when the \
      device returns: by the process that holds the session, or by 'revert' then.

      JSON: schema; steps, as of 'apply'; left.
      """)

  @Flag(help: "Forget what cannot be restored now, such as the gain of an unplugged device.")
  var forget = false

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let hooks = Hooks(options: options, output: context.output)
    let forget = forget
    let report = try await context.withSession(hooks: hooks) { session in
      try await Interruption.cancelling { try await session.revert(forgetsUnplugged: forget) }
    }
    try context.output.result(RevertJSON(report)) { RevertView.lines(report, width: $0) }
    for note in report.state.notes { context.output.warning(note) }
    return .done
  }
}
