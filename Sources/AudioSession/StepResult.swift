import SessionCore

/// One step of a run, and what became of it.
public struct StepResult: Sendable, Hashable, Codable {
  /// The step as planned.
  public var step: Step
  /// What became of it.
  public var outcome: StepOutcome
}
