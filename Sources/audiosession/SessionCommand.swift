import ArgumentParser

protocol SessionCommand: ParsableCommand, Sendable {
  var options: GlobalOptions { get }

  /// What a person who waits for the result reads; nil if the command shows what it does itself.
  var activity: String? { get }

  /// Whether its JSON is one object a line, with arguments that may have mistakes.
  static func printsLines(_ arguments: [String]) -> Bool

  /// Does the work and prints the result; a thrown error is printed by the caller.
  func run(_ context: Context) async throws -> Status
}

extension SessionCommand {
  var activity: String? { "waiting for the sound server" }
  static func printsLines(_ arguments: [String]) -> Bool { false }
}
