import ArgumentParser
import SessionCore

/// A word of the command line in place of a command that does not exist.
struct UnknownCommand {
  /// What was wrong, and the probable intention.
  let message: String

  /// Finds the first such word among the arguments; nil if all commands exist.
  static func find(in arguments: [String]) -> UnknownCommand? {
    var parent: any ParsableCommand.Type = AudioSessionCommand.self
    var path = ""
    var rest = arguments[...]
    while let word = rest.popFirst(), word != "--" {
      if word.hasPrefix("-") {
        if optionsWithValue.contains(word) { rest = rest.dropFirst() }
        continue
      }
      let commands = parent.configuration.subcommands
      guard !commands.isEmpty, word != "help" else { return nil }
      if let next = commands.first(where: { $0.isCalled(word) }) {
        parent = next
        path += word + " "
        continue
      }
      let names = commands.compactMap {
        $0.configuration.shouldDisplay ? $0.configuration.commandName : nil
      }
      return UnknownCommand(message: message(word, path, names))
    }
    return nil
  }

  private static let optionsWithValue = ["--server", "--timeout"]

  /// Words that newcomers tried, and the command that does what they expected.
  private static let guesses: [String: String] = [
    "check": "doctor", "default": "explain default-source", "diagnose": "doctor",
    "enable": "service install", "events": "state", "fix": "doctor", "history": "state",
    "inputs": "devices", "keep": "apply PROFILE --keep", "list": "devices", "log": "state",
    "logs": "state", "monitor": "meter", "outputs": "devices", "rec": "record",
    "select": "apply PROFILE --keep", "set": "apply PROFILE --keep", "sources": "devices",
    "start": "apply PROFILE --keep", "status": "state", "switch": "apply PROFILE --keep",
    "undo": "revert", "use": "apply PROFILE --keep", "why": "explain",
    "profiles add": "profiles save NAME", "profiles apply": "apply PROFILE",
    "profiles create": "profiles save NAME", "profiles new": "profiles save NAME",
    "profiles use": "apply PROFILE", "service enable": "service install",
    "service start": "service install",
  ]

  private static func message(_ word: String, _ path: String, _ known: [String]) -> String {
    let near =
      guesses[path + word].map { ["'\($0)'"] }
      ?? Text.nearest(word, among: known).map { "'\(path)\($0)'" }
    let hint =
      !near.isEmpty
      ? "do you mean \(near.joined(separator: " or "))?"
      : path == "sandbox "
        ? "a command to run is written after '--': sandbox -- COMMAND"
        : "the commands are: \(known.joined(separator: ", "))"
    return "there is no command '\(path)\(visible(word))'; \(hint)"
  }
}

extension ParsableCommand {
  fileprivate static func isCalled(_ word: String) -> Bool {
    configuration.commandName == word || configuration.aliases.contains(word)
  }
}
