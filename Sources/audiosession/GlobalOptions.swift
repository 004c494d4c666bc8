import ArgumentParser
import PulseTypes

/// The options of every command.
struct GlobalOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp("The server to use. (default: the environment's)", valueName: "address"))
  var server: String?

  @Flag(help: "Use a private server with demo devices, for this one command.")
  var sandbox = false

  @Flag(help: "With --sandbox, 'sandbox' or 'demo': use PipeWire instead of PulseAudio.")
  var pipewire = false

  @Flag(help: "Print the result as JSON.")
  var json = false

  @Flag(help: "Print text without colours and drawings, as for a screen reader.")
  var plain = false

  @Option(
    help: ArgumentHelp(
      "How long to wait for the server: 500ms, 5s, 1m. Recording and playback may take longer.",
      valueName: "time"))
  var timeout = TimeLimit.standard

  @Flag(
    name: .shortAndLong,
    help: "Print plans and connections to standard error; twice: also every request.")
  var verbose: Int

  init() {}

  /// The options of a line that has none but `--json`.
  init(isJSON: Bool) {
    (server, sandbox, pipewire, json, plain) = (nil, false, false, isJSON, false)
    (timeout, verbose) = (.standard, 0)
  }

  var sandboxServer: ServerKind { pipewire ? .pipewire : .pulseaudio }

  static func emptyValue(of option: Substring) -> String {
    "the value of \(visible(String(option))) is empty; leave the option out for the default"
  }

  func validate() throws {
    guard let server else { return }
    guard !server.isEmpty else {
      throw ValidationError(Self.emptyValue(of: "--server"))
    }
    guard !sandbox else {
      throw ValidationError("--server and --sandbox name two servers; leave one of them out")
    }
  }
}
