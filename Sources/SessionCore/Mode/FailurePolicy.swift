/// How a failed step affects those before it.
public enum FailurePolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// All or nothing: the previous setup is restored.
  case rollback
  /// Applies what can be applied.
  case bestEffort = "best-effort"
}
