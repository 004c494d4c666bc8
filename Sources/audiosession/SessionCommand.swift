import ArgumentParser

/// A command of the program.
protocol SessionCommand: ParsableCommand, Sendable {
  var options: GlobalOptions { get }

  /// Does the work and prints the result; a thrown error is printed by the caller.
  func run(_ context: Context) async throws -> Status
}
