import ArgumentParser
import SessionCore

/// A word of the command line in place of a command that does not exist.
enum UnknownCommand {
  /// What is wrong with the first such word among the arguments, and the probable intention; nil if
  /// all commands exist.
  static func find(in arguments: [String]) -> String? {
    var parent: any ParsableCommand.Type = AudioSessionCommand.self
    var path = ""
    var rest = arguments[...]
    while let word = rest.popFirst(), word != "--" {
      // The shell's name is no command.
      if word == "--generate-completion-script" { return nil }
      if word.hasPrefix("-") {
        if optionsWithValue.contains(word) { rest = rest.dropFirst() }
        continue
      }
      let commands = parent.configuration.subcommands
      guard !commands.isEmpty else { return nil }
      if word == "help", path.isEmpty { return help(Array(rest)) }
      if let next = commands.first(where: { $0.isCalled(word) }) {
        parent = next
        path += word + " "
        continue
      }
      return message(word, path, shown(commands))
    }
    return nil
  }

  /// What `help` was asked about, if it is neither a command nor a topic.
  private static func help(_ arguments: [String]) -> String? {
    let words = words(in: arguments)
    guard let word = words.first, word != "help", Topic.named(word) == nil else { return nil }
    let all = AudioSessionCommand.configuration.subcommands
    guard let command = all.first(where: { $0.isCalled(word) }) else {
      let names = shown(all) + Topic.all.map(\.name)
      let near = Text.nearest(word, among: names)
      let guess = topics[word] ?? guesses[word]?.split(separator: " ").first.map(String.init)
      let hint = (guess.map { [$0] } ?? near).map { "'help \($0)'" }
      return "there is no help on '\(visible(word))'; "
        + (hint.isEmpty
          ? "there is help on: \(names.joined(separator: ", "))"
          : "do you mean \(hint.joined(separator: " or "))?")
    }
    guard words.count > 1, !command.configuration.subcommands.isEmpty,
      !command.configuration.subcommands.contains(where: { $0.isCalled(words[1]) })
    else { return nil }
    return message(words[1], word + " ", shown(command.configuration.subcommands))
  }

  /// The arguments without options and their values.
  static func words(in arguments: [String]) -> [String] {
    var words: [String] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if optionsWithValue.contains(word) { rest = rest.dropFirst() }
      if !word.hasPrefix("-") { words.append(word) }
    }
    return words
  }

  private static func shown(_ commands: [any ParsableCommand.Type]) -> [String] {
    commands.compactMap { $0.configuration.shouldDisplay ? $0.configuration.commandName : nil }
  }

  private static let optionsWithValue = ["--server", "--timeout"]

  /// Words for what a topic of the manual has.
  private static let topics: [String: String] = [
    "events": "json", "format": "profile", "hook": "hooks", "keys": "profile", "pending": "json",
    "profile-format": "profile", "profiles-format": "profile", "schema": "json", "toml": "profile",
    "verdict": "json", "verdicts": "json",
  ]

  /// Words that newcomers tried, and the command that does what they expected.
  private static let guesses: [String: String] = [
    "check": "doctor", "conflicts": "state", "daemon": "service install", "diagnose": "doctor",
    "edit": "profiles edit NAME", "enable": "service install", "end": "stop", "events": "state",
    "fix": "doctor", "history": "state", "hold": "apply PROFILE --keep", "hooks": "help hooks",
    "info": "state", "input": "devices", "inputs": "devices", "install": "service install",
    "json": "help json", "keep": "apply PROFILE --keep", "kill": "stop", "level": "meter",
    "levels": "meter", "list": "devices", "listen": "meter", "log": "state", "logs": "state",
    "man": "help", "measure": "verify", "monitor": "meter", "off": "stop", "output": "devices",
    "outputs": "devices", "profile": "profiles", "quit": "stop", "rec": "record", "reset": "revert",
    "restart": "apply PROFILE --keep", "restore": "revert", "run": "apply PROFILE --keep",
    "save": "profiles save NAME", "select": "apply PROFILE --keep", "set": "apply PROFILE --keep",
    "show": "state", "simulate": "sandbox simulate", "sources": "devices",
    "start": "apply PROFILE --keep", "status": "state", "switch": "apply PROFILE --keep",
    "test": "verify", "unapply": "revert", "undo": "revert", "uninstall": "service uninstall",
    "unmute": "explain muted", "use": "apply PROFILE --keep", "version": "--version",
    "why": "explain",
    "profiles add": "profiles save NAME", "profiles apply": "apply PROFILE",
    "profiles create": "profiles save NAME",
    "profiles delete": "rm FILE' with the file that 'profiles' lists",
    "profiles new": "profiles save NAME",
    "profiles remove": "rm FILE' with the file that 'profiles' lists",
    "profiles use": "apply PROFILE --keep", "service disable": "service uninstall",
    "service enable": "service install", "service remove": "service uninstall",
    "service start": "service install", "service stop": "stop",
  ]

  /// The command with a word that is no command itself: a property's name, or what can be simulated.
  private static func other(_ word: String, _ path: String) -> String? {
    if path.isEmpty, Explanation.property(named: word) != nil { return "explain \(visible(word))" }
    let faults = SimulateCommand.configuration.subcommands
    return path == "sandbox " && faults.contains { $0.isCalled(word) }
      ? "sandbox simulate \(word)" : nil
  }

  private static func message(_ word: String, _ path: String, _ known: [String]) -> String {
    let near =
      (guesses[path + word] ?? other(word, path)).map {
        ["'\($0)" + ($0.contains("'") ? "" : "'")]
      } ?? Text.nearest(word, among: known).map { "'\(path)\($0)'" }
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
  /// Whether a word of the command line names it.
  static func isCalled(_ word: String) -> Bool {
    configuration.commandName == word || configuration.aliases.contains(word)
  }
}
