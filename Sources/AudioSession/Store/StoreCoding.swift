import JSONCoding
import SessionCore

/// The JSON of the store's files.
enum StoreCoding {
  static func encode(_ value: some Encodable) throws(SessionError) -> [UInt8] {
    do {
      return try JSON.encode(value) + [UInt8(ascii: "\n")]
    } catch {
      throw SessionError(
        .storeFailed, stage: .session, "cannot encode the session's files: \(error)")
    }
  }

  /// Decodes a value; nil if the bytes are invalid: a damaged file counts as none.
  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    try? JSON.decode(type, from: bytes)
  }
}
