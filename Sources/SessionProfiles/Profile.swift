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

/// The devices whose presence lets `watch --auto` choose a profile; it never chooses one without
/// any.
public struct ProfileMatch: Sendable, Hashable {
  /// Inputs that must exist.
  public var inputs: [DeviceMatcher]
  /// Outputs that must exist.
  public var outputs: [DeviceMatcher]

  /// Makes a match.
  public init(inputs: [DeviceMatcher] = [], outputs: [DeviceMatcher] = []) {
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Whether it has no matchers, so that only a user chooses the profile.
  public var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }
}

/// The source of a profile.
public enum ProfileSource: Sendable, Hashable, CustomStringConvertible {
  /// A file, by its path.
  case file(String)
  /// Built into the program.
  case builtIn

  /// The path, or `built-in`.
  public var description: String {
    switch self {
    case .file(let path): path
    case .builtIn: "built-in"
    }
  }
}

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
