import PulseTypes

/// What a server can do, asked rather than guessed from a version.
public struct Capabilities: Sendable, Hashable, Codable {
  /// Whether a device says which latency it was configured to.
  public var latencyReadback: Bool
  /// Whether a card profile can be made to stick.
  public var stickyProfiles: Bool
  /// Whether modules may be loaded.
  public var moduleLoading: Bool
  /// Whether there is a module that silences or ducks others by their role; else a session does it.
  public var roleModules: Bool

  /// Makes a report.
  public init(
    latencyReadback: Bool, stickyProfiles: Bool, moduleLoading: Bool, roleModules: Bool
  ) {
    self.latencyReadback = latencyReadback
    self.stickyProfiles = stickyProfiles
    self.moduleLoading = moduleLoading
    self.roleModules = roleModules
  }

  /// What a server with some traits can do until it is known to refuse.
  init(_ traits: ServerTraits) {
    self.init(
      latencyReadback: !traits.contains(.forcedGraph),
      stickyProfiles: !traits.contains(.choosesProfiles),
      moduleLoading: true, roleModules: !traits.contains(.withoutRoleModules))
  }
}
