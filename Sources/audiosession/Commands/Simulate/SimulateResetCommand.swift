import ArgumentParser
import PulseSandbox

struct SimulateResetCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-media-services",
    abstract: "Crash and restart the server, as Apple's developer switch does.",
    aliases: ["reset"])

  var fault: Fault { .server(.resetMediaServices) }
  var done: String { "reset the server" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
