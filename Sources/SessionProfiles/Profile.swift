public import SessionCore

/// A named mode, from a file or built in, complete with what it extends.
public struct Profile: Sendable, Hashable {
  /// The name for `named(_:environment:)`; for a path, the file's name without `.toml`.
  public var name: String
  /// The description in lists.
  public var description: String?
  /// The mode, completed by the profiles that it extends.
  public var mode: AudioMode
  /// When `watch --auto` may choose it; never inherited.
  public var match: ProfileMatch
  /// The source of the profile.
  public var source: ProfileSource
  /// The profile that provides the values this one does not set.
  public var extends: String?

  /// Makes a profile.
  public init(
    name: String, description: String? = nil, mode: AudioMode, match: ProfileMatch = .init(),
    source: ProfileSource, extends: String? = nil
  ) {
    self.name = name
    self.description = description
    self.mode = mode
    self.match = match
    self.source = source
    self.extends = extends
  }
}
