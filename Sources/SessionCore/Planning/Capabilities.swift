/// What a server supports, as found by asking instead of by its version.
public struct Capabilities: Sendable, Hashable, Codable {
  /// Whether a device reports its configured latency.
  package var latencyReadback: Bool
  /// Whether a card profile can be made permanent.
  package var stickyProfiles: Bool
  /// Whether modules may be loaded.
  public var moduleLoading: Bool
  /// Whether a module of the server silences or ducks other programs; the session does it.
  private var roleModules = false

  /// What a server with these traits supports, until it refuses something.
  package init(_ traits: ServerTraits) {
    latencyReadback = !traits.contains(.unreportedBuffer)
    stickyProfiles = !traits.contains(.choosesProfiles)
    moduleLoading = true
  }
}
