import ArgumentParser

protocol SessionCommand: ParsableCommand, Sendable {
  var options: GlobalOptions { get set }

  /// What a person who waits for the result reads; nil if the command shows what it does itself.
  var activity: String? { get }

  /// Whether its JSON is one object a line, with arguments that may have mistakes.
  static func printsLines(_ arguments: [String]) -> Bool

  /// Sets all but the global options to what they are in a line with these operands and no options; false if
  /// the parser is to do it.
  mutating func setPlain(_ operands: [String]) -> Bool

  /// Does the work and prints the result; a thrown error is printed by the caller.
  func run(_ context: Context) async throws -> Status
}

extension SessionCommand {
  var activity: String? { "waiting for the sound server" }
  static func printsLines(_ arguments: [String]) -> Bool { false }
  mutating func setPlain(_ operands: [String]) -> Bool { false }

  /// The command of a line without options but `--json`, from the words after its name; nil if the parser is
  /// to make it, or to refuse it. The parser would take a third of such a start.
  static func plain(_ words: ArraySlice<String>) -> (any SessionCommand)? {
    let operands = words.filter { $0 != "--json" }
    var command = Self()
    guard words.count - operands.count < 2,
      operands.allSatisfy({ ($0.unicodeScalars.first ?? "-") != "-" }), command.setPlain(operands)
    else { return nil }
    command.options = GlobalOptions(isJSON: operands.count < words.count)
    return (try? command.validate()).map { command }
  }
}
