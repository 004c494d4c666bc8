/// Something of the machine that works against the session: what, why it matters, and the remedy.
public struct Finding: Sendable, Hashable, Encodable {
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
  public struct Remedy: Sendable, Hashable, Encodable {
    /// A sentence, without the command and the line.
    public var text: String
    /// A command for a shell; nil where none does it.
    public var command: String?
    /// The file to change; nil where there is none.
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

    private enum Key: String, CodingKey { case text, command, file, line }

    /// Writes every key, null where there is nothing.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      try values.encode(text, forKey: .text)
      try values.encode(command, forKey: .command)
      try values.encode(file, forKey: .file)
      try values.encode(line, forKey: .line)
    }
  }

  /// The check that found it.
  public var code: DoctorCheck.Code
  /// How bad it is.
  public var severity: Severity
  /// The name of what it is about: a device, a module, a file; nil for the machine as a whole.
  public var object: String?
  /// What was found, for people.
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

  private enum Key: String, CodingKey { case severity, code, object, message, why, remedy }

  /// Writes every key, null where there is nothing.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(severity, forKey: .severity)
    try values.encode(code, forKey: .code)
    try values.encode(object, forKey: .object)
    try values.encode(message, forKey: .message)
    try values.encode(why, forKey: .why)
    try values.encode(remedy, forKey: .remedy)
  }
}
