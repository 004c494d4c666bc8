/// A preference that the steps do not meet, with the reason.
public struct Unmet: Sendable, Hashable, Codable {
  /// The property of the session, a key of the state's JSON.
  public var property: Property
  /// Pending, unreachable, refused or overridden.
  public var verdict: Verdict
  /// The reason, for users.
  public var reason: String
}
