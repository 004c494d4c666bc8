import ArgumentParser
import PulseSandbox

struct SimulateRestartCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "Restart the server; a running one is asked to end first.")

  var fault: Fault { .server(.restart) }
  var done: String { "restarted the server" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
