import ArgumentParser
import AudioSession

/// `replay FILE`
struct ReplayCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Show a trace, and make each of its plans again.",
    discussion: """
      'watch --trace FILE' writes what the server told, each plan with all that it was made from, \
      each step and each event. Here they are shown, without a server, and every plan is made anew \
      by this version. The exit code is 3 if one comes out differently.

      JSON: schema; entries: time, kind (told, plan, step, event), text, occasion, steps, unmet, \
      error, same; plans; different.
      """)

  @Argument(help: "The file that 'watch --trace' wrote.", completion: .file())
  var file: String

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let entries = try TraceFile.read(file).map(ReplayEntry.init)
    try context.output.result(ReplayJSON(entries)) { ReplayView.lines(entries, width: $0) }
    return entries.contains { $0.isSame == false } ? .unmet : .done
  }
}
