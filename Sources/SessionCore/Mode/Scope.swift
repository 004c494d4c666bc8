/// Whose streams a session controls.
public enum Scope: String, Sendable, Hashable, Codable, CaseIterable {
  /// All streams: defaults, ports and profiles of the server.
  case server
  /// Only the process's own streams.
  case application
}
