import JSONCoding

/// An answer of a message object, which is JSON; a number counts as a text.
struct MessageText: Decodable, Equatable {
  /// Nil for `null`.
  let text: String?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      text = nil
    } else if let number = try? value.decode(Int.self) {
      text = String(number)
    } else {
      text = try value.decode(String.self)
    }
  }
}

/// A codec as a card lists it.
struct MessageCodec: Decodable, Equatable {
  let name: MessageText
  let description: MessageText?
}

/// The answers of messages.
enum Message {
  /// The longest answer in bytes; it is parsed on the loop, where requests wait in the meantime.
  static let longest = 1 << 18

  /// Parses an answer; nil if it is none, or longer than any.
  static func parse<Answer: Decodable>(_ json: String, as type: Answer.Type) -> Answer? {
    guard json.utf8.count <= longest else { return nil }
    return try? JSON.decode(type, from: json.utf8)
  }
}
