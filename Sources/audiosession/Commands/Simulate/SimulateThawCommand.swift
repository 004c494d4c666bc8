import ArgumentParser
import PulseSandbox

struct SimulateThawCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "thaw",
    abstract: "Continue a frozen server.")

  var fault: Fault { .server(.thaw) }
  var done: String { "thawed the server" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
