import JSONCoding

/// An error as it is in JSON, which does not have its stage.
package struct ErrorBody: Codable, EncodableWithNulls {
  private let code: SessionError.Code
  private let message: String
  private let property: String?
  private let value: String?
  private let alternatives: [String]
  private let restored: Bool?

  package init(_ error: SessionError) {
    (code, message, property) = (error.code, error.message, error.property)
    (value, alternatives, restored) = (error.value, error.alternatives, error.restored)
  }

  var error: SessionError {
    SessionError(
      code, stage: .server, message, key: property, value: value, alternatives: alternatives,
      restored: restored)
  }
}
