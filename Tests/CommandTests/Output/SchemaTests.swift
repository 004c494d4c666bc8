import ArgumentParser
import FoundationEssentials
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import audiosession

/// Real output of each command against the schema of its document (`.packaging/schema`).
@Suite("The JSON schemas", .timeLimit(.minutes(10)))
struct SchemaTests {
  /// A command, the schema of what it prints, and the statuses it may end with.
  struct Document: Sendable, CustomTestStringConvertible {
    var command: String
    var schema: String
    var statuses: Set<Int32> = [0]
    var testDescription: String { command }
  }

  private static let usb = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
  private static let documents = [
    Document(command: "plan podcast", schema: "plan"),
    Document(command: "plan voice-chat", schema: "plan"),
    // With a canceller.
    Document(command: "state -v", schema: "state"),
    Document(command: "apply podcast", schema: "apply"),
    Document(command: "apply boom", schema: "apply"),
    Document(command: "apply nowhere", schema: "error", statuses: [78]),
    Document(command: "apply mistaken", schema: "error", statuses: [65]),
    Document(command: "revert", schema: "revert"),
    Document(command: "state", schema: "state"),
    Document(command: "devices --all", schema: "devices"),
    Document(command: "doctor", schema: "doctor", statuses: [0, 3]),
    Document(command: "explain default-source", schema: "explain"),
    Document(command: "explain sampleRate", schema: "explain"),
    Document(command: "explain", schema: "explain-list"),
    Document(command: "verify podcast", schema: "verify", statuses: [0, 3]),
    Document(command: "profiles", schema: "profiles-list"),
    Document(command: "profiles check mistaken.toml", schema: "profiles-check", statuses: [65]),
    Document(command: "profiles detect", schema: "profiles-detect"),
    Document(command: "record talk.wav --duration 300ms", schema: "record"),
    Document(command: "play talk.wav", schema: "play"),
    Document(command: "profiles show podcast", schema: "profiles-show"),
    Document(command: "profiles save desk", schema: "profiles-save"),
    Document(command: "service install", schema: "service-install"),
    Document(command: "service status", schema: "service-status"),
    Document(command: "tone A4 --duration 100ms", schema: "tone"),
    Document(command: "meter --duration 500ms --interval 500ms --spectrum", schema: "meter"),
    Document(command: "sandbox simulate suspend \(usb)", schema: "sandbox-simulate"),
    Document(command: "replay trace.jsonl", schema: "replay"),
    Document(command: "demo", schema: "demo"),
    Document(command: "stop", schema: "stop"),
    Document(command: "service uninstall", schema: "service-uninstall"),
    Document(command: "profiles edit podcast", schema: "profiles-edit"),
    Document(command: "profiles cycle", schema: "apply"),
    Document(command: "sandbox", schema: "sandbox"),
  ]

  /// The words of each command that has a result.
  static let commands = words(AudioSessionCommand.self, [])

  private static func words(
    _ command: any ParsableCommand.Type, _ before: [String]
  ) -> [[String]] {
    let own = command is any SessionCommand.Type && !before.isEmpty
    return (own ? [before] : [])
      + command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .flatMap { words($0, before + [$0.configuration.commandName ?? ""]) }
  }

  private static let files = """
    mkdir -p "$XDG_CONFIG_HOME/audiosession/profiles"
    cat > "$XDG_CONFIG_HOME/audiosession/profiles/boom.toml" <<'END'
    category = "record"
    buffer-duration = "10 ms"
    [input]
    prefer = [{ property = { "device.bus" = "usb" } }]
    port = ["*"]
    polar-pattern = "stereo"
    orientation = "landscape-right"
    gain = "80 %"
    END
    echo 'input.prefer = ["nowhere"]' > "$XDG_CONFIG_HOME/audiosession/profiles/nowhere.toml"
    printf 'category = "speak"\\nsample-rate = -1\\n' > mistaken.toml
    cp mistaken.toml "$XDG_CONFIG_HOME/audiosession/profiles/"

    """

  private func problems(_ text: some StringProtocol, _ schema: String) throws -> [String] {
    try JSONSchema(schema).problems(of: try JSONValue(String(text)))
  }

  @Test("each command prints what its schema says", .simulatedCard, arguments: documents)
  func document(_ document: Document) async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      // What a command needs that another one makes.
      let before =
        switch document.schema {
        case _ where document.command == "profiles cycle": "$A profiles save desk > /dev/null\n"
        case _ where document.command == "state -v": "$A apply voice-chat > /dev/null\n"
        case "play": "$A record talk.wav --duration 300ms > /dev/null\n"
        case "stop": "$A apply podcast --keep > /dev/null\n"
        case "service-uninstall": "$A service install > /dev/null 2>&1\n"
        case "profiles-edit": "export EDITOR=true VISUAL=\n"
        case "sandbox": "exec < /dev/null\n"
        case "replay": "$A watch podcast --trace trace.jsonl | head -n 1 > /dev/null\n"
        default: ""
        }
      let result = try await sandbox.shell(
        "cd \(sandbox.directory)\n\(Self.files)\(before)exec $A \(document.command) --json")
      #expect(document.statuses.contains(result.status), "\(result)")
      // A meter prints one a line.
      let text =
        document.schema == "meter"
        ? result.standardOutput.split(separator: "\n").first ?? "" : result.standardOutput[...]
      #expect(try problems(text, document.schema) == [])
    }
  }

  @Test("each command has a schema, and each schema a document that is validated")
  func isComplete() throws {
    var files = try FileManager.default.contentsOfDirectory(atPath: JSONSchema.folder)
      .map { String($0.dropLast(".json".count)) }
    files.removeAll { $0 == "common" }
    let commands = Self.commands.map { $0.joined(separator: "-") }
    #expect(commands.count > 25)
    // 'watch' prints events, 'cycle' applies, and a fault is one whichever it is.
    let shared = ["watch": "event", "profiles-cycle": "apply"]
    for command in commands {
      let isFault = command.hasPrefix("sandbox-simulate-")
      let schema = isFault ? "sandbox-simulate" : shared[command] ?? command
      #expect(files.contains(schema), "\(command)")
    }
    let validated = Set(Self.documents.map(\.schema) + ["event"])
    #expect(validated == Set(files))
  }

  @Test(
    "a holder's state and its events, too, on both servers", .pipewire, arguments: [false, true])
  func holder(isPipeWire: Bool) async throws {
    try await PulseSandbox.with(isPipeWire ? .minimal(on: .pipewire) : .demo) { sandbox in
      _ = try await sandbox.shell("cd \(sandbox.directory)\n\(Self.files)")
      let watching = try await Watching.start(sandbox, "podcast --json")
      try await sandbox.resetMediaServices()
      #expect(try await watching.says("serverReset"))
      let state = try await sandbox.audiosession("state", "--json")
      #expect(try problems(state.standardOutput, "state") == [])
      _ = try await watching.end()
      let lines = try await watching.lines()
      #expect(lines.count >= 3)
      for line in lines { #expect(try problems(line, "event") == [], "\(line)") }
    }
  }

  @Test("a document that is not as the schema says is found")
  func faults() throws {
    let state = try JSONSchema("plan")
    #expect(
      state.problems(of: try JSONValue(#"{"schema":1,"steps":[],"unmet":[],"left":[]}"#)) == [])
    #expect(
      state.problems(of: try JSONValue(#"{"schema":2,"steps":[{}],"unmet":1,"more":0}"#)).count
        >= 10)
  }
}
