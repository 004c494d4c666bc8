/// What a server supports, as found by asking instead of by its version.
public struct Capabilities: Sendable, Hashable, Codable {
  /// Whether a device reports its configured latency.
  package var latencyReadback: Bool
  /// Whether a card profile can be made permanent.
  package var stickyProfiles: Bool
  /// Whether modules may be loaded.
  public var moduleLoading: Bool
  /// Whether there is a module that silences or ducks other programs by role; otherwise the session
  /// does it.
  package var roleModules: Bool

  /// What a server with these traits supports, until it refuses something.
  init(_ traits: ServerTraits) {
    latencyReadback = !traits.contains(.forcedGraph)
    stickyProfiles = !traits.contains(.choosesProfiles)
    moduleLoading = true
    roleModules = !traits.contains(.withoutRoleModules)
  }
}
