public import SessionCore

/// One thing that is wrong with a profile file, with its place.
public struct ProfileDiagnostic: Error, Sendable, Hashable, CustomStringConvertible {
  /// Whether the profile can be used.
  public enum Severity: String, Sendable, Hashable, Codable {
    /// It cannot.
    case error
    /// It can, but something in it has no effect.
    case warning
  }

  /// Whether the profile can be used.
  public var severity: Severity
  /// What is wrong, with which value, and what would work; without the place.
  public var message: String
  /// The file, or the name of a profile that is in none; empty if there is no such profile.
  public var file: String
  /// Counted from 1; nil if the file as a whole is meant.
  public var line: Int?
  /// Counted from 1, in Unicode scalars.
  public var column: Int?
  /// The property of the session that the key sets, or the key where it sets none.
  public var property: String?
  /// The value that was wrong.
  public var value: String?
  /// The kind of mistake.
  public var code: SessionError.Code
  /// What there is instead: the names of profiles.
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

  /// `FILE:LINE:COLUMN`, or `FILE` where the file as a whole is meant.
  public var location: String {
    var result = Text.visible(file, limit: 4096)
    if let line { result += ":\(line)" }
    if let column { result += ":\(column)" }
    return result
  }

  /// As compilers print it: `FILE:LINE:COLUMN: error: MESSAGE`.
  public var description: String { prefix + "\(severity.rawValue): \(message)" }

  /// The error that reading the profile ends with.
  public var sessionError: SessionError {
    SessionError(
      code, stage: .configuration, prefix + message, key: property, value: value,
      alternatives: alternatives)
  }

  private var prefix: String { location.isEmpty ? "" : location + ": " }
}
