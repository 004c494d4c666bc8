extension SessionError {
  /// The error with the step that met it.
  func about(_ step: Step) -> SessionError {
    var result = self
    result.property = property ?? step.property.rawValue
    result.value = value ?? step.to.description
    result.message = "cannot set \(step.setting.title) to \(step.to): \(message)"
    return result
  }

  /// Whether the connection can no longer be used.
  package var endsConnection: Bool {
    [.serverUnreachable, .serverLost, .timedOut].contains(code)
  }
}
