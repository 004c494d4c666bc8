import AudioSession
import SessionProfiles

/// `{"schema":1,"error":{…}}`: what `--json` prints instead of a result; where a profile has more than
/// one mistake also `diagnostics`, as of `profiles check`, of which the first is the error.
struct ErrorJSON: Encodable {
  let schema = 1
  let error: ErrorItem
  let diagnostics: [DiagnosticItem]?

  init(_ failure: Failure) {
    error = ErrorItem(failure.error)
    diagnostics = failure.mistakes.isEmpty ? nil : failure.mistakes.map { DiagnosticItem($0) }
  }
}

/// An error with every key, null if there is no value.
struct ErrorItem: Encodable {
  private let error: SessionError

  init(_ error: SessionError) { self.error = error }

  private enum Key: String, CodingKey {
    case code, message, property, value, alternatives, restored
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(error.code, forKey: .code)
    try values.encode(error.message, forKey: .message)
    try values.encode(error.property, forKey: .property)
    try values.encode(error.value, forKey: .value)
    try values.encode(error.alternatives, forKey: .alternatives)
    try values.encode(error.restored, forKey: .restored)
  }
}
