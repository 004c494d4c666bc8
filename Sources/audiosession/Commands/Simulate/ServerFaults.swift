import ArgumentParser
import PulseSandbox

// The faults of the server.

struct KillFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "kill", abstract: "Let the server crash (SIGKILL).",
    discussion: "It stays down until 'restart'.")
  var fault: Fault { .server(.kill) }
  var done: String { "killed the server" }
}

struct RestartFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Restart the server; a running one is asked to end first.")
  var fault: Fault { .server(.restart) }
  var done: String { "restarted the server" }
}

struct ResetFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "reset-media-services",
    abstract: "Crash and restart the server, as Apple's developer switch does.",
    aliases: ["reset"])
  var fault: Fault { .server(.resetMediaServices) }
  var done: String { "reset the server" }
}

struct FreezeFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "freeze", abstract: "Freeze the server (SIGSTOP), so that it does not answer.",
    discussion: "Without --for it stays frozen until 'thaw'.")

  @Option(for: "Thaw it after this time: 500ms, 2s.") var duration: TimeLimit?

  var fault: Fault { .server(.freeze) }
  var undoing: Fault? { .server(.thaw) }
  var done: String { "froze the server" }
}

struct ThawFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "thaw", abstract: "Continue a frozen server.")
  var fault: Fault { .server(.thaw) }
  var done: String { "thawed the server" }
}
