public import JSONCoding

/// A property of the machine that affects the session: what it is, why it matters, and a remedy.
public struct Finding: Sendable, Hashable, Encodable, EncodableWithNulls {
  /// The severity, worst first.
  public enum Severity: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// A feature cannot work.
    case problem
    /// A condition works against the session.
    case warning
    /// A fact that helps if the session does not behave as expected.
    case note

    /// Orders the worst first.
    public static func < (a: Severity, b: Severity) -> Bool {
      allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
  }

  /// A remedy.
  public struct Remedy: Sendable, Hashable, Encodable, EncodableWithNulls {
    /// A sentence, without the command and the line.
    public var text: String
    /// A shell command; nil if there is none.
    public var command: String?
    /// The file to change; nil if there is none.
    public var file: String?
    /// The line to add or remove, as the text explains.
    public var line: String?

    /// Makes a remedy.
    public init(
      _ text: String, command: String? = nil, file: String? = nil, line: String? = nil
    ) {
      self.text = text
      self.command = command
      self.file = file
      self.line = line
    }
  }

  /// The check that found it.
  public var code: DoctorCheck.Code
  /// The severity.
  public var severity: Severity
  /// The name of the affected object: a device, a module, a file; nil for the machine as a whole.
  public var object: String?
  /// The finding, for users.
  public var message: String
  /// Why it matters to the session.
  public var why: String
  /// The remedy.
  public var remedy: Remedy

  /// Makes a finding.
  public init(
    _ code: DoctorCheck.Code, _ severity: Severity, object: String? = nil, _ message: String,
    why: String, _ remedy: Remedy
  ) {
    self.code = code
    self.severity = severity
    self.object = object
    self.message = message
    self.why = why
    self.remedy = remedy
  }

  private enum CodingKeys: String, CodingKey { case severity, code, object, message, why, remedy }
}
