extension JSON {
  /// A value of any shape, unchanged since it was read: what a file has in addition to what this version knows.
  package struct Text: Sendable, Hashable, Codable {
    /// The value on one line.
    let text: String

    /// Only from JSON of this module.
    package init(from decoder: any Decoder) throws {
      guard let tree = decoder as? TreeDecoder else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not JSON"))
      }
      text = tree.value.text
    }

    package func encode(to encoder: any Encoder) throws {
      guard let tree = encoder as? TreeEncoder else {
        throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "not JSON"))
      }
      tree.write(text)
    }
  }
}

extension JSONValue {
  /// The value on one line.
  fileprivate var text: String {
    switch self {
    case .null, .flag, .number: summary
    case .string(let string): JSON.Style.file.quoted(string)
    case .list(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.map { "\(JSON.Style.file.quoted($0.key)):\($0.value.text)" }
        .joined(separator: ",") + "}"
    }
  }
}
