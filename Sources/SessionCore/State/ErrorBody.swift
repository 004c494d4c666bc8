import JSONCoding

/// An error as it is in JSON, which does not have its stage: with every key, null if there is no value.
package struct ErrorBody: Codable {
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

  /// Writes the nulls itself: events are public, so any encoder may come.
  package func encode(to encoder: any Encoder) throws {
    let members: JSONObject = [
      "code": code, "message": message, "property": property, "value": value,
      "alternatives": alternatives, "restored": restored,
    ]
    try members.encode(to: encoder)
  }

  var error: SessionError {
    SessionError(
      code, stage: .server, message, key: property, value: value, alternatives: alternatives,
      restored: restored)
  }
}
