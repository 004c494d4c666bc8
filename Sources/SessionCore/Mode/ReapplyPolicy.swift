/// When the session applies its mode again.
public enum ReapplyPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// After every change that the session did not make.
  case always
  /// After route changes, a restart of the server and the end of an interruption; a default that the user
  /// chose stays until the next of them.
  case onRouteChange = "on-route-change"
  /// Only with the next `setAudioMode`, and when a process that had taken the session over gives it back.
  case never
}
