import AudioSession
import SessionProfiles

/// `{"schema":1,"error":{…}}`: what `--json` prints instead of a result; where a profile has more than
/// one mistake also `diagnostics`, as of `profiles check`, of which the first is the error.
struct ErrorJSON: Encodable {
  let schema = 1
  let error: ErrorBody
  let diagnostics: [ProfileDiagnostic]?

  init(_ failure: Failure) {
    error = ErrorBody(failure.error)
    diagnostics = failure.mistakes.isEmpty ? nil : failure.mistakes
  }
}
