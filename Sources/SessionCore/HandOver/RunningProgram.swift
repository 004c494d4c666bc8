/// A process, as messages name it.
package protocol RunningProgram {
  var pid: Int32 { get }
  var name: String { get }
}

extension RunningProgram {
  /// The program and its process.
  package var title: String { "\(name) (process \(pid))" }

  /// Makes an error whose message begins with the title; `what` continues the sentence.
  package func error(_ code: SessionError.Code, _ what: String) -> SessionError {
    SessionError(code, stage: .session, "\(title) \(what)", value: String(pid))
  }
}
