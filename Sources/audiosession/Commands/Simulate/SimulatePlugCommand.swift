import ArgumentParser
import PulseSandbox

struct SimulatePlugCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "plug",
    abstract: "Plug in a jack, or a device that was unplugged.")

  @Argument(
    help: "A port, a card or a device; CARD/PORT where several cards have such a port.",
    completion: Completion.jack)
  var name: String

  var fault: Fault { .device(.plug, name) }
  var done: String { "plugged in \(name)" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
