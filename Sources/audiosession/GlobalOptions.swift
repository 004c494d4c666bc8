import ArgumentParser
import PulseTypes

/// The options of every command.
struct GlobalOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp("The server to talk to. (default: the environment's)", valueName: "address"))
  var server: String?

  @Flag(help: "Use a private server with demo devices, for this one command.")
  var sandbox = false

  @Flag(help: "With --sandbox, or the command sandbox: PipeWire in it instead of PulseAudio.")
  var pipewire = false

  @Flag(help: "Print the result as JSON.")
  var json = false

  @Option(help: ArgumentHelp("How long the command may take: 500ms, 5s, 1m.", valueName: "time"))
  var timeout = TimeLimit.standard

  @Flag(name: .shortAndLong, help: "Say what is done, on standard error; twice: every request.")
  var verbose: Int

  /// The kind of server of a sandbox.
  var sandboxServer: ServerKind { pipewire ? .pipewire : .pulseaudio }

  func validate() throws {
    guard let server else { return }
    guard !server.isEmpty else {
      throw ValidationError(
        "the address of --server is empty; leave the option out for the default")
    }
    guard !sandbox else {
      throw ValidationError("--server and --sandbox are two servers; name one")
    }
  }
}
