import ArgumentParser
import PulseSandbox

struct InterruptFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "interrupt",
    abstract: "Play a call: a running stream of silence with the role 'phone'.",
    discussion: "Without --for it plays until it is ended (Ctrl-C).")

  @Option(for: "How long it plays: 500ms, 2s.") var duration: TimeLimit?

  @Option(help: ArgumentHelp("The stream's media.role.", valueName: "role"))
  var role = "phone"

  @Option(help: ArgumentHelp("The sink it plays on. (default: the default)", valueName: "sink"))
  var on: String?

  @Option(
    name: .customLong("as"), help: ArgumentHelp("What the server lists it as.", valueName: "name"))
  var client = "call"

  var fault: Fault { .interrupt(role: role, device: on, name: client) }
  var done: String { "\(client) plays" }
}
