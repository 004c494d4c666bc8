import ArgumentParser
import AudioSession
import JSONCoding

struct ReplayCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Show a trace, and compute each of its plans again.",
    discussion: """
      'watch --trace FILE' writes what the server reported, each plan with its input, each step and \
      each event. 'replay' shows them without a server, and computes every plan again with this \
      version. The exit status is 3 if a plan differs.

      JSON: schema; entries: time, kind (told, plan, step, event), text, occasion, steps, unmet, \
      error, same; plans; different.
      """)

  @Argument(help: "The file that 'watch --trace' wrote.", completion: .file())
  var file: String

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let (lines, cut) = try TraceFile.read(file)
    let entries = lines.map(ReplayEntry.init)
    let different = entries.different
    try context.output.result(json: [
      "entries": entries.map(\.json), "plans": entries.plans, "different": different,
    ]) { ReplayView.lines(entries, width: $0) }
    if let cut { context.output.warning("\(file) ends within line \(cut); shown up to there") }
    return different > 0 ? .unmet : .done
  }
}
