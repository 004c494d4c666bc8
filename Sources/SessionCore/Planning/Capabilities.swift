public import PulseTypes

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

  /// What a kind of server can do until it is known to refuse.
  public init(_ kind: ServerKind) {
    self.init(
      latencyReadback: kind == .pulseaudio, stickyProfiles: kind == .pulseaudio,
      moduleLoading: true, roleModules: kind == .pulseaudio)
  }
}
