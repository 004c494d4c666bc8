public import SessionCore

/// What an apply did.
public struct ApplyReport: Sendable, Codable {
  /// The planned steps in order, each with its outcome.
  public var steps: [StepResult]
  /// The state after, read back.
  public var state: SessionState
  /// What could not be met, with reasons.
  public var unmet: [Unmet]
  /// What a restore left as somebody else had changed it.
  public var left: [String]
}
