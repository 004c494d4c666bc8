/// A JSON value whose keys keep the order of the text, to look into.
enum OrderedJSON {
  case object([(key: String, value: OrderedJSON)])
  case array([OrderedJSON])
  /// A string, number or word.
  case scalar(String)

  /// Reads a text that is known to be JSON.
  init(_ text: String) {
    var rest = text[...]
    self.init(&rest)
  }

  private init(_ rest: inout Substring) {
    Self.skipSpace(&rest)
    switch rest.first {
    case "{":
      self = .object(
        Self.members(&rest, until: "}") { rest in
          guard case .scalar(let key) = OrderedJSON(&rest) else { return ("", .scalar("")) }
          Self.skipSpace(&rest)
          rest.removeFirst()
          return (key, OrderedJSON(&rest))
        })
    case "[": self = .array(Self.members(&rest, until: "]") { OrderedJSON(&$0) })
    case "\"":
      rest.removeFirst()
      var word = ""
      while let next = rest.popFirst(), next != "\"" {
        word.append(next == "\\" ? rest.popFirst() ?? next : next)
      }
      self = .scalar(word)
    default:
      let word = rest.prefix { !",:]}".contains($0) && !$0.isWhitespace }
      rest = rest[word.endIndex...]
      self = .scalar(String(word))
    }
  }

  private static func members<Member>(
    _ rest: inout Substring, until end: Character, _ read: (inout Substring) -> Member
  ) -> [Member] {
    rest.removeFirst()
    var members: [Member] = []
    while true {
      skipSpace(&rest)
      guard let next = rest.first, next != end else { break }
      if next == "," { rest.removeFirst() } else { members.append(read(&rest)) }
    }
    rest = rest.dropFirst()
    return members
  }

  private static func skipSpace(_ rest: inout Substring) { rest = rest.drop(while: \.isWhitespace) }

  /// The keys of an object, in order; none of anything else.
  var keys: [String] { if case .object(let members) = self { members.map(\.key) } else { [] } }

  /// The members of a list; none of anything else.
  var array: [OrderedJSON] { if case .array(let array) = self { array } else { [] } }

  /// The text of a scalar.
  var text: String? { if case .scalar(let text) = self { text } else { nil } }

  /// A value of an object; a scalar without text where there is none.
  subscript(key: String) -> OrderedJSON {
    guard case .object(let members) = self else { return .scalar("") }
    return members.first { $0.key == key }?.value ?? .scalar("")
  }
}
