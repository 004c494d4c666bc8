import ArgumentParser
import PulseSandbox

// The faults of a port, a card or a device.

struct PlugFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "plug", abstract: "Plug in a jack, or a device that was unplugged.")

  @Argument(
    help: "A port, a card or a device; CARD/PORT where several cards have such a port.",
    completion: Completion.jack)
  var name: String

  var fault: Fault { .device(.plug, name) }
  var done: String { "plugged in \(name)" }
}

struct UnplugFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "unplug", abstract: "Unplug a jack, or pull out a device.",
    discussion: """
      A port of a simulated card (analog-output-headphones) becomes unavailable, as when a plug is \
      pulled. A card, a sink or a source is removed with everything on it, as when a USB \
      device is pulled out. 'audiosession devices' lists all three.
      """)

  @Argument(
    help: "A port, a card or a device; CARD/PORT where several cards have such a port.",
    completion: Completion.jack)
  var name: String

  @Option(for: "Plug it in again after this time: 500ms, 2s.") var duration: TimeLimit?

  var fault: Fault { .device(.unplug, name) }
  var undoing: Fault? { .device(.plug, name) }
  var done: String { "unplugged \(name)" }
}

struct SuspendFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "suspend", abstract: "Suspend a device, also one in use.",
    discussion: "Without --for it stays suspended until 'resume'.")

  @Argument(help: "A sink or a source.", completion: Completion.device) var name: String
  @Option(for: "Resume it after this time: 500ms, 2s.") var duration: TimeLimit?

  var fault: Fault { .device(.suspend, name) }
  var undoing: Fault? { .device(.resume, name) }
  var done: String { "suspended \(name)" }
}

struct ResumeFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Resume a suspended device.")

  @Argument(help: "A sink or a source.", completion: Completion.device) var name: String

  var fault: Fault { .device(.resume, name) }
  var done: String { "resumed \(name)" }
}
