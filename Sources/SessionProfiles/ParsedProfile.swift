public import SessionCore

/// What one profile file says by itself, before the profile that it extends.
public struct ParsedProfile: Sendable, Hashable {
  /// The profile's name: that of the file, without `.toml`.
  public var name: String
  /// The file; nil where the text is from elsewhere.
  public var file: String?
  /// What people read in lists.
  public var description: String?
  /// The profile that fills in what this one leaves open.
  public var extends: String?
  /// The wish, of this file alone.
  public var mode = AudioMode()
  /// When `watch --auto` may choose the profile.
  public var match = ProfileMatch()
  /// The `[session]` table of a stored wish; nil in a profile.
  public var session: StoredSession?
  /// Where each property is set.
  var places: [String: Position] = [:]

  init(name: String, file: String?) {
    self.name = name
    self.file = file
  }
}

/// What the store keeps beside a wish.
public struct StoredSession: Sendable, Hashable {
  /// The profile that the wish came from.
  public var profile: String?
  /// Numbers by key, such as `generation`.
  public var numbers: [String: Int] = [:]

  /// Makes an empty one.
  public init(profile: String? = nil, numbers: [String: Int] = [:]) {
    self.profile = profile
    self.numbers = numbers
  }
}
