import AudioSession
import SessionProfiles

/// `profiles check --json`.
struct DiagnosticsJSON: Encodable {
  let schema = 1
  let diagnostics: [DiagnosticItem]

  init(_ diagnostics: [ProfileDiagnostic]) {
    self.diagnostics = diagnostics.map { DiagnosticItem($0) }
  }
}

/// A problem of a profile with every key, null if there is no value.
struct DiagnosticItem: Encodable {
  private let diagnostic: ProfileDiagnostic

  init(_ diagnostic: ProfileDiagnostic) { self.diagnostic = diagnostic }

  private enum Key: String, CodingKey {
    case severity, code, message, file, line, column, property, value, alternatives
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(diagnostic.severity, forKey: .severity)
    try values.encode(diagnostic.code, forKey: .code)
    try values.encode(diagnostic.message, forKey: .message)
    try values.encode(diagnostic.file, forKey: .file)
    try values.encode(diagnostic.line, forKey: .line)
    try values.encode(diagnostic.column, forKey: .column)
    try values.encode(diagnostic.property, forKey: .property)
    try values.encode(diagnostic.value, forKey: .value)
    try values.encode(diagnostic.alternatives, forKey: .alternatives)
  }
}
