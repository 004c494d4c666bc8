/// An error as it is in JSON: with every key, null if there is no value.
package struct ErrorBody: Codable {
  let error: SessionError

  package init(_ error: SessionError) { self.error = error }

  private enum Key: String, CodingKey {
    case code, message, property, value, alternatives, restored
  }

  /// The JSON does not have the error's stage.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    error = SessionError(
      try values.decode(SessionError.Code.self, forKey: .code), stage: .server,
      try values.decode(String.self, forKey: .message),
      key: try values.decodeIfPresent(String.self, forKey: .property),
      value: try values.decodeIfPresent(String.self, forKey: .value),
      alternatives: try values.decode([String].self, forKey: .alternatives),
      restored: try values.decodeIfPresent(Bool.self, forKey: .restored))
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(error.code, forKey: .code)
    try values.encode(error.message, forKey: .message)
    try values.encode(error.property, forKey: .property)
    try values.encode(error.value, forKey: .value)
    try values.encode(error.alternatives, forKey: .alternatives)
    try values.encode(error.restored, forKey: .restored)
  }
}
