/// The outcome of a step.
public enum StepOutcome: Sendable, Hashable, Codable {
  /// Read back as planned.
  case applied
  /// The setting already had the value when the step was due.
  case alreadySo
  /// The server did not grant the hint; the value is what it granted.
  case notGranted(String)
  /// The server said no, with its words.
  case refused(String)
  /// A later plan did without it.
  case dropped
}
