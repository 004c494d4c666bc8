enum JSONValue {
  case null
  case flag(Bool)
  /// The text of the number, unchanged.
  case number(String)
  case string(String)
  case list([JSONValue])
  case object([(key: String, value: JSONValue)])

  /// The value as messages name it.
  var summary: String {
    switch self {
    case .null: "null"
    case .flag(let flag): "\(flag)"
    case .number(let text): text
    case .string: "a string"
    case .list: "a list"
    case .object: "an object"
    }
  }
}
