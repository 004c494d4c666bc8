import JSONCoding
import SessionProfiles

struct DiagnosticsJSON: Encodable {
  let schema = 1
  let diagnostics: [ProfileDiagnostic]
}

extension ProfileDiagnostic: EncodableWithNulls {}
