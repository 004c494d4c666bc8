import AudioSession
import ArgumentParser

/// A mistake in the command line: a message with the usage, or JSON like any other failure.
struct UsageError {
  private let message: String
  private let usage: String
  private let isJSON: Bool
  private let isOneLine: Bool
  /// The word of the line that the message is about.
  private let value: String?
  /// What would work, of which the text has a list.
  private let alternatives: [String]

  init(_ error: any Error, _ arguments: [String]) {
    let whole = AudioSessionCommand.fullMessage(for: error)
    usage = whole.firstRange(of: "Usage:").map { String(whole[$0.lowerBound...]) } ?? ""
    // The parser lists values in lines of their own.
    let text = AudioSessionCommand.message(for: error).split(separator: "\n")
      .map { $0.drop { $0 == " " } }.joined(separator: " ")
    message = Self.corrected(text, arguments)
    isJSON = arguments.prefix { $0 != "--" }.contains("--json")
    isOneLine = Self.printsLines(arguments)
    value = Self.quoted(in: message).first { word in
      arguments.contains { $0 == word || $0.hasSuffix("=" + word) }
    }
    let isOfProperty = message.hasPrefix("there is no property")
    alternatives = isJSON && isOfProperty ? Property.reported.map(\.rawValue) : []
  }

  /// The words between quotes.
  private static func quoted(in message: String) -> [String] {
    let parts = message.split(separator: "'", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
  }

  /// Whether the JSON of the command in the arguments is one object a line.
  static func printsLines(_ arguments: [String]) -> Bool {
    let command = command(in: arguments) as? any SessionCommand.Type
    return command?.printsLines(arguments) ?? false
  }

  /// Options that newcomers tried, and those that do what they expected, as far as the command has
  /// one. The parser would propose the option that is spelled most like it, such as --force for --from.
  private static let guesses: [String: String] = [
    "--input": "--device", "--from": "--device", "--source": "--device",
    "--mic": "--device", "--microphone": "--device", "--time": "--duration",
    "--length": "--duration", "--seconds": "--duration", "--limit": "--duration",
    "--overwrite": "--force", "--replace": "--force", "--background": "--keep",
    "--daemon": "--keep", "--maintain": "--keep", "--check": "--dry-run",
    "--samplerate": "--rate", "--sample-rate": "--rate",
  ]

  /// What the options with numbers can be.
  private static let values: [String: String] = [
    "--channels": "it can be 1 to 32, or mono", "--rate": RecordCommand.possibleRates,
    "--level": ToneCommand.possibleLevels,
  ]

  private static func corrected(_ message: String, _ arguments: [String]) -> String {
    if message.hasSuffix("<time>'") {
      return message + "; a time is 500ms, 5s, 10m or 2h, at most 24h"
    }
    if let option = values.keys.first(where: { message.contains("is invalid for '\($0) ") }) {
      return message + "; \(values[option] ?? "")"
    }
    if message.hasPrefix("Can't generate completion scripts") {
      return "there is no such completion script; it can be for bash, zsh or fish"
    }
    if message.hasPrefix("Missing expected argument"), let option = unknownOption(arguments) {
      return corrected("Unknown option '\(visible(option))'", arguments)
    }
    if message.hasSuffix("<profile>'") { return message + "; 'audiosession profiles' lists them" }
    let start = "Unknown option '"
    guard message.hasPrefix(start) else { return unexpected(message, arguments) }
    let option = message.dropFirst(start.count).prefix { $0 != "'" && $0 != "=" }
    guard let better = guesses[String(option)], options(for: arguments).contains(" \(better)")
    else {
      return message
    }
    return "there is no option '\(visible(String(option)))' here; do you mean '\(better)'?"
  }

  /// The device that newcomers name without its option.
  private static func unexpected(_ message: String, _ arguments: [String]) -> String {
    let start = "Unexpected argument '"
    guard message.hasPrefix(start), options(for: arguments).contains(" --device") else {
      return message
    }
    return message + "; a device is named with --device"
  }

  /// An option of the line that the command does not have: the parser misses an argument first.
  private static func unknownOption(_ arguments: [String]) -> String? {
    // Also those that the help of the parser has before the command's own.
    let help = AudioSessionCommand.helpMessage(for: command(in: arguments))
    let known = help.split { !$0.isLetter && $0 != "-" }
    return arguments.prefix { $0 != "--" }.lazy.filter { $0.hasPrefix("--") }
      .map { String($0.prefix { $0 != "=" }) }.first { !known.contains(Substring($0)) }
  }

  /// The options in the help of a command, without its description.
  private static func options(for arguments: [String]) -> Substring {
    let help = AudioSessionCommand.helpMessage(for: command(in: arguments))
    return help[(help.firstRange(of: "\nOPTIONS:")?.upperBound ?? help.endIndex)...]
  }

  private static func command(in arguments: [String]) -> any ParsableCommand.Type {
    arguments.reduce(AudioSessionCommand.self as any ParsableCommand.Type) { command, word in
      command.configuration.subcommands.first { $0.isCalled(word) } ?? command
    }
  }

  /// Prints it, and ends the program.
  func end() -> Never {
    let output = Output(isJSON: isJSON)
    output.report(
      SessionError(
        .invalidValue, stage: .configuration, message, value: value, alternatives: alternatives),
      isOneLine: isOneLine)
    if !isJSON { output.usage(usage) }
    leave(.usage)
  }
}
