import JSONCoding

/// A property of the machine that affects the session: what it is, why it matters, and a remedy.
package struct Finding: Sendable, Hashable, Encodable, EncodableWithNulls {
  /// The severity, worst first.
  package enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
    /// A feature cannot work.
    case problem
    /// A condition interferes with the session.
    case warning
    /// A fact that helps if the session does not behave as expected.
    case note
  }

  package struct Remedy: Sendable, Hashable, Encodable, EncodableWithNulls {
    /// A sentence, without the command and the line.
    package var text: String
    /// A shell command; nil if there is none.
    package var command: String?
    /// The file to change; nil if there is none.
    package var file: String?
    /// The line to add or remove, as the text explains.
    package var line: String?

    package init(_ text: String, command: String? = nil, file: String? = nil, line: String? = nil) {
      self.text = text
      self.command = command
      self.file = file
      self.line = line
    }
  }

  package var severity: Severity
  /// The check that found it.
  package var code: DoctorCheck.Code
  /// The name of the affected object: a device, a module, a file; nil for the machine as a whole.
  package var object: String?
  /// The finding, for users.
  package var message: String
  /// Why it matters to the session.
  package var why: String
  package var remedy: Remedy

  package init(
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
}
