public import SessionCore

/// An entry of the list of profiles.
public struct ProfileListing: Sendable, Hashable {
  /// The name for applying it.
  public var name: String
  /// Its description.
  public var description: String?
  /// The source of the profile.
  public var source: ProfileSource
  /// Why it cannot be used; nil if it can.
  public var error: SessionError?
}
