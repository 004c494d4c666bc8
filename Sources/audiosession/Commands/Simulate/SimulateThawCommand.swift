import ArgumentParser
import PulseSandbox

/// `sandbox simulate thaw`
struct SimulateThawCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "thaw",
    abstract: "Let a frozen server go on.")

  var fault: Fault { .thaw }
  var done: String { "thawed the server" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
