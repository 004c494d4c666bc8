/// An error: what went wrong, with which value, and what would work.
public struct SessionError: Error, Sendable, Hashable, Codable {
  /// The kind of failure; raw values are the `code` of the JSON. Later versions may have more.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Code: String, Sendable, Hashable, Codable {
    case invalidValue, unknownKey, missingDataSourceName, profileNotFound
    case inputNotAvailable, outputNotAvailable, portNotAvailable, polarPatternNotSupported
    case orientationNotSupported, categoryNotSupported, codecNotSupported, hintNotGranted
    case isBusy, activationFailed
    case serverUnreachable, serverLost, accessDenied, refused, timedOut, storeFailed
    /// There is no such sound file or trace; a missing profile is `profileNotFound`.
    case fileNotFound
    /// The caller cancelled; completed steps were undone.
    case cancelled
  }

  /// The earliest point at which the failure could be known.
  public enum Stage: String, Sendable, Hashable, Codable {
    /// From the mode alone, before connecting.
    case configuration
    /// From the machine's devices, before the first write.
    case device
    /// From the server, while reading or writing.
    case server
    /// From the session's own lock and files.
    case session
  }

  /// The kind of failure.
  public var code: Code
  /// The earliest point at which it could be known.
  public var stage: Stage
  /// What was wrong, for users.
  public var message: String
  /// The property, as in the state's JSON.
  public var property: String?
  /// The wrong value.
  public var value: String?
  /// What would work, each with why it was not used.
  public var alternatives: [String]
  /// Whether the previous setup was restored; nil if nothing had been changed.
  public var restored: Bool?

  /// Makes an error.
  ///
  /// - Parameter key: the subject, if it is not a property of the session.
  package init(
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

extension SessionError {
  /// The variable with the server's address, which is the property of an error about it.
  package static let serverVariable = "PULSE_SERVER"
}
