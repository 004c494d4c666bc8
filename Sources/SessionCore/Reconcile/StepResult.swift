/// What became of a step.
public enum StepOutcome: Sendable, Hashable, Codable {
  /// Read back as planned.
  case applied
  /// It was so already when its turn came.
  case alreadySo
  /// A hint that the server did not grant, with what it gave.
  case notGranted(String)
  /// The server said no, with its words.
  case refused(String)
  /// A later plan did without it.
  case dropped
}

/// One step of a run, and what became of it.
public struct StepResult: Sendable, Hashable, Codable {
  /// The step as planned.
  public var step: Step
  /// What became of it.
  public var outcome: StepOutcome
}
