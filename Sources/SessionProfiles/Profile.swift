public import SessionCore

/// A named wish, from a file or built in, whole: with what it extends.
public struct Profile: Sendable, Hashable {
  /// The name that `named(_:environment:)` finds it by; of a path, the file's without `.toml`.
  public var name: String
  /// What people read in lists.
  public var description: String?
  /// The wish, with what `extends` fills in.
  public var mode: AudioMode
  /// When `watch --auto` may choose it; never inherited.
  public var match: ProfileMatch
  /// Where it is from.
  public var source: ProfileSource
  /// The profile that fills in what this one leaves open.
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

/// The devices whose presence lets `watch --auto` choose a profile; nothing by itself never does.
public struct ProfileMatch: Sendable, Hashable {
  /// Inputs that must be there.
  public var inputs: [DeviceMatcher]
  /// Outputs that must be there.
  public var outputs: [DeviceMatcher]

  /// Makes a match.
  public init(inputs: [DeviceMatcher] = [], outputs: [DeviceMatcher] = []) {
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Whether it asks for nothing, so that only a person chooses the profile.
  public var isEmpty: Bool { inputs.isEmpty && outputs.isEmpty }
}

/// Where a profile is from.
public enum ProfileSource: Sendable, Hashable, CustomStringConvertible {
  /// A file, by its path.
  case file(String)
  /// Part of the program.
  case builtIn

  /// The path, or `built-in`.
  public var description: String {
    switch self {
    case .file(let path): path
    case .builtIn: "built-in"
    }
  }
}

/// One line of the list of profiles.
public struct ProfileListing: Sendable, Hashable {
  /// The name to apply it by.
  public var name: String
  /// What it says of itself.
  public var description: String?
  /// Where it is from.
  public var source: ProfileSource
  /// Why it cannot be used; nil if it can.
  public var error: SessionError?
}
