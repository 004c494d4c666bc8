import ArgumentParser
import PulseSandbox

struct SimulateUnplugCommand: FaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "unplug",
    abstract: "Unplug a jack, or pull out a device.",
    discussion: """
      A port of a simulated card (analog-output-headphones) becomes unavailable, as when a plug is \
      pulled. A card, a sink or a source is removed with everything on it, as when a USB \
      device is pulled out. 'audiosession devices' lists all three.
      """)

  @Argument(
    help: "A port, a card or a device; CARD/PORT where several cards have such a port.",
    completion: Completion.jack)
  var name: String

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Plug it in again after this time: 500ms, 2s.", valueName: "time"))
  var duration: TimeLimit?

  var fault: Fault { .device(.unplug, name) }
  var undoing: Fault? { .device(.plug, name) }
  var done: String { "unplugged \(name)" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions
}
