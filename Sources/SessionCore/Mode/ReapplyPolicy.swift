/// When the session applies its mode again.
public enum ReapplyPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// After every change that the session did not make.
  case always
  /// After route changes; a default that the user chose stays until the next one.
  case onRouteChange = "on-route-change"
  /// Only with the next `setAudioMode`.
  case never
}
