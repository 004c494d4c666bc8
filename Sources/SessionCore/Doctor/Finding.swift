public import JSONCoding

/// Something of the machine that works against the session: what, why it matters, and the remedy.
public struct Finding: Sendable, Hashable, Encodable, EncodableWithNulls {
  /// How bad it is, worst first.
  public enum Severity: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Something cannot work as it is.
    case problem
    /// Something works against the session.
    case warning
    /// Something that is good to know when the session does not do as expected.
    case note

    /// Orders the worst first.
    public static func < (a: Severity, b: Severity) -> Bool {
      allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
  }

  /// What to do about it.
  public struct Remedy: Sendable, Hashable, Encodable, EncodableWithNulls {
    /// A sentence, without the command and the line.
    public var text: String
    /// A command for a shell; nil if none does it.
    public var command: String?
    /// The file to change; nil if there is none.
    public var file: String?
    /// The line to write there, or to take out, as the text says.
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
  /// How bad it is.
  public var severity: Severity
  /// The name of what it is about: a device, a module, a file; nil for the machine as a whole.
  public var object: String?
  /// What was found, for users.
  public var message: String
  /// Why it matters to the session.
  public var why: String
  /// What to do about it.
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
