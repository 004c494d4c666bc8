import ArgumentParser
import PulseSandbox

struct SimulateFreezeCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "freeze",
    abstract: "Freeze the server (SIGSTOP), so that it does not answer.",
    discussion: "Without --for it stays frozen until 'thaw'.")

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Thaw it after this time: 500ms, 2s.", valueName: "time"))
  var duration: TimeLimit?

  var fault: Fault { .server(.freeze) }
  var undoing: Fault? { .server(.thaw) }
  var done: String { "froze the server" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
