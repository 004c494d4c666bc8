public import SessionCore

/// The result of an apply or a revert.
public struct ApplyReport: Sendable, Codable {
  /// The planned steps in order, each with its outcome.
  public var steps: [StepResult]
  /// The state afterwards, read back from the server.
  public var state: SessionState
  /// The preferences that could not be met, with reasons.
  public var unmet: [Unmet]
  /// Settings that a revert left alone because another program has changed them.
  public var left: [String]
}
