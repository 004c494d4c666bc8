import ArgumentParser
import PulseSandbox

struct SimulateKillCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "kill",
    abstract: "Let the server crash (SIGKILL).",
    discussion: "It stays down until 'restart'.")

  var fault: Fault { .server(.kill) }
  var done: String { "killed the server" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
