/// The parameters and answers of messages: JSON in which numbers and literals stay texts.
enum MessageValue: Equatable {
  case text(String)
  case list([MessageValue])
  case object([String: MessageValue])

  /// The longest answer in bytes; it is parsed on the loop, where requests wait in the meantime.
  static let longest = 1 << 18

  /// Parses JSON; nil if it is invalid, or deeper or longer than any answer.
  init?(_ json: String) {
    guard json.utf8.count <= Self.longest else { return nil }
    var scanner = MessageScanner(json)
    guard let value = scanner.value(depth: 0), scanner.isAtEnd else { return nil }
    self = value
  }

  /// The text of a string, number or literal; nil for `null`.
  var text: String? { if case .text(let text) = self, text != "null" { text } else { nil } }

  var list: [MessageValue]? { if case .list(let list) = self { list } else { nil } }

  subscript(key: String) -> MessageValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// A text as a JSON string.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// Parses JSON from its start.
private struct MessageScanner {
  private var rest: Substring.UnicodeScalarView

  init(_ json: String) { rest = json[...].unicodeScalars }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return rest.isEmpty
    }
  }

  mutating func value(depth: Int) -> MessageValue? {
    skipSpace()
    switch rest.first {
    case "\"": return string().map(MessageValue.text)
    case "[": return depth < 8 ? list(depth) : nil
    case "{": return depth < 8 ? object(depth) : nil
    case nil: return nil
    default:
      let word = rest.prefix { !",]} \t\r\n".unicodeScalars.contains($0) }
      rest = rest.dropFirst(word.count)
      return word.isEmpty ? nil : .text(String(word))
    }
  }

  private mutating func skipSpace() {
    rest = rest.drop { " \t\r\n".unicodeScalars.contains($0) }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard rest.first == scalar else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func list(_ depth: Int) -> MessageValue? {
    var items: [MessageValue] = []
    guard take("[") else { return nil }
    if take("]") { return .list(items) }
    repeat {
      guard let item = value(depth: depth + 1) else { return nil }
      items.append(item)
    } while take(",")
    return take("]") ? .list(items) : nil
  }

  private mutating func object(_ depth: Int) -> MessageValue? {
    var members: [String: MessageValue] = [:]
    guard take("{") else { return nil }
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let key = string(), take(":"), let value = value(depth: depth + 1) else { return nil }
      members[key] = value
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func string() -> String? {
    guard rest.first == "\"" else { return nil }
    rest = rest.dropFirst()
    var result = String.UnicodeScalarView()
    while let next = rest.popFirst() {
      if next == "\"" { return String(result) }
      guard next == "\\" else {
        result.append(next)
        continue
      }
      guard let escaped = rest.popFirst() else { return nil }
      switch escaped {
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "u":
        // Not `rest.count`, which would walk through the whole rest each time.
        let digits = rest.prefix(4)
        guard digits.count == 4, let code = UInt32(String(digits), radix: 16),
          let scalar = Unicode.Scalar(code)
        else { return nil }
        rest = rest.dropFirst(4)
        result.append(scalar)
      default: result.append(escaped)
      }
    }
    return nil
  }
}
