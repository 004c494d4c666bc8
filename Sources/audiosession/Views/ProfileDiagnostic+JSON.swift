import JSONCoding
import SessionProfiles

extension ProfileDiagnostic: EncodableWithNulls {}
