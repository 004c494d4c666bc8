/// What went wrong, with what value, and what would work.
public struct SessionError: Error, Sendable, Hashable, Codable {
  /// The kind of failure; raw values are the `code` of the JSON.
  public enum Code: String, Sendable, Hashable, Codable {
    case invalidValue, unknownKey, missingInput, missingDataSourceName, profileNotFound
    case inputNotAvailable, outputNotAvailable, portNotAvailable, polarPatternNotSupported
    case orientationNotSupported, categoryNotSupported, codecNotSupported, hintNotGranted
    case isBusy, activationFailed
    case serverUnreachable, serverLost, accessDenied, refused, timedOut, storeFailed
    /// There is no such sound file or trace; a profile that is missing is `profileNotFound`.
    case fileNotFound
    /// The caller cancelled; what had been done was undone.
    case cancelled
  }

  /// Where the failure could first be known.
  public enum Stage: String, Sendable, Hashable, Codable {
    /// From the wish alone, before connecting.
    case configuration
    /// From the machine, before the first write.
    case device
    /// From the server, while reading or writing.
    case server
    /// From the session's own lock and files.
    case session
  }

  /// The kind of failure.
  public var code: Code
  /// Where it could first be known.
  public var stage: Stage
  /// What was wrong, for people.
  public var message: String
  /// The property it is about, as in the state's JSON.
  public var property: String?
  /// The value that was wrong.
  public var value: String?
  /// What would work, each with why it was not taken.
  public var alternatives: [String]
  /// Whether what was before is in force again; nil where nothing had been changed.
  public var restored: Bool?

  /// Makes an error.
  ///
  /// - Parameter key: what it is about where that is no property of the session.
  public init(
    _ code: Code, stage: Stage, _ message: String, property: Property? = nil, key: String? = nil,
    value: String? = nil, alternatives: [String] = [], restored: Bool? = nil
  ) {
    self.code = code
    self.stage = stage
    self.message = message
    self.property = property?.rawValue ?? key
    self.value = value
    self.alternatives = alternatives
    self.restored = restored
  }
}

extension SessionError: CustomStringConvertible {
  /// The message, with the alternatives one a line.
  public var description: String {
    ([message] + alternatives.map { "  " + $0 }).joined(separator: "\n")
  }
}
