import AudioSession
import ArgumentParser

/// A mistake in the command line: a message with the usage, or JSON like any other failure.
struct UsageError {
  private let message: String
  private let usage: String
  private let isJSON: Bool

  init(_ error: any Error, _ arguments: [String]) {
    message = AudioSessionCommand.message(for: error)
    let whole = AudioSessionCommand.fullMessage(for: error)
    usage = whole.firstRange(of: "Usage:").map { String(whole[$0.lowerBound...]) } ?? ""
    isJSON = arguments.prefix { $0 != "--" }.contains("--json")
  }

  /// Prints it, and ends the program.
  func end() -> Never {
    let output = Output(isJSON: isJSON)
    output.report(SessionError(.invalidValue, stage: .configuration, message))
    if !isJSON { output.plain(usage) }
    leave(.usage)
  }
}
