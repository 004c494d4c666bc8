import ArgumentParser
import PulseSandbox

struct SimulateResumeCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Resume a suspended device.")

  @Argument(help: "A sink or a source.", completion: Completion.device)
  var name: String

  var fault: Fault { .device(.resume, name) }
  var done: String { "resumed \(name)" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
