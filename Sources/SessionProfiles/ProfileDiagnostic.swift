public import SessionCore

/// A problem of a profile file, with its position.
public struct ProfileDiagnostic: Error, Sendable, Hashable, Encodable, CustomStringConvertible {
  /// Whether the profile can be used.
  public enum Severity: String, Sendable, Hashable, Codable {
    /// The profile cannot be used.
    case error
    /// The profile can be used, but part of it has no effect.
    case warning
  }

  /// Whether the profile can be used.
  public var severity: Severity
  /// The kind of mistake.
  public var code: SessionError.Code
  /// What is wrong, with which value, and what would work; without the position.
  public var message: String
  /// The file, or the name of a profile without a file; empty if there is no such profile.
  public var file: String
  /// The line, counted from 1; nil if the problem is with the file as a whole.
  public var line: Int?
  /// The column in Unicode scalars, counted from 1.
  public var column: Int?
  /// The property of the session that the key sets; the key itself if it sets none.
  public var property: String?
  /// The wrong value.
  public var value: String?
  /// The existing names of profiles.
  public var alternatives: [String]

  init(
    _ message: String, file: String, at position: Position?, severity: Severity = .error,
    property: String? = nil, value: String? = nil, code: SessionError.Code = .invalidValue,
    alternatives: [String] = []
  ) {
    self.severity = severity
    self.message = message
    self.file = file
    self.line = position?.line
    self.column = position?.column
    self.property = property
    self.value = value
    self.code = code
    self.alternatives = alternatives
  }

  init(_ mistake: Mistake, file: String) {
    self.init(
      mistake.message, file: file, at: mistake.position, property: mistake.property,
      value: mistake.value, code: mistake.code)
  }

  /// `FILE:LINE:COLUMN`, or `FILE` if the problem is with the file as a whole.
  public var location: String {
    var result = Text.visible(file, limit: 4096)
    if let line { result += ":\(line)" }
    if let column { result += ":\(column)" }
    return result
  }

  /// In the format of compilers: `FILE:LINE:COLUMN: error: MESSAGE`.
  public var description: String { prefix + "\(severity.rawValue): \(message)" }

  /// The error of reading the profile.
  public var sessionError: SessionError {
    SessionError(
      code, stage: .configuration, prefix + message, key: property, value: value,
      alternatives: alternatives)
  }

  private var prefix: String { location.isEmpty ? "" : location + ": " }
}
