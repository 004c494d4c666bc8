import JSONCoding
import SessionProfiles

/// `profiles check --json`.
struct DiagnosticsJSON: Encodable {
  let schema = 1
  let diagnostics: [ProfileDiagnostic]
}

extension ProfileDiagnostic: EncodableWithNulls {}
