import ArgumentParser
import PulseSandbox

struct SimulateSuspendCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "suspend",
    abstract: "Suspend a device, also one in use.",
    discussion: "Without --for it stays suspended until 'resume'.")

  @Argument(help: "A sink or a source.", completion: Completion.device)
  var name: String

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Resume it after this time: 500ms, 2s.", valueName: "time"))
  var duration: TimeLimit?

  var fault: Fault { .device(.suspend, name) }
  var undoing: Fault? { .device(.resume, name) }
  var done: String { "suspended \(name)" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
