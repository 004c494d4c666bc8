import ArgumentParser
import PulseSandbox

/// A fault that `sandbox simulate` causes: its name and help, its arguments, and what they cause.
protocol FaultKind: ParsableArguments, Sendable {
  static var configuration: CommandConfiguration { get }

  var fault: Fault { get throws }
  /// The fault that undoes it if it lasts only for a time; nil if there is none, or it ends by
  /// itself.
  var undoing: Fault? { get }
  /// The duration; nil until it is undone, or the command is ended.
  var duration: TimeLimit? { get }
  /// The result, for users.
  var done: String { get }
}

extension FaultKind {
  var undoing: Fault? { nil }
  var duration: TimeLimit? { nil }
}

extension Option<TimeLimit?> {
  /// `--for`: the duration of a fault.
  init(for help: String) {
    self.init(name: .customLong("for"), help: ArgumentHelp(help, valueName: "time"))
  }
}
