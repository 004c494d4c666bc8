import AudioSession

/// Lays out JSON that has no white space; values stay as they are, keys come in the documented order.
struct JSONPrinter {
  private var rest: Substring.UTF8View
  private let text: String

  init(_ text: String) {
    self.text = text
    rest = text[...].utf8
  }

  mutating func print() -> String { value(indent: 0) }

  private mutating func value(indent: Int) -> String {
    switch rest.first {
    case UInt8(ascii: "{"): members(indent, isObject: true)
    case UInt8(ascii: "["): members(indent, isObject: false)
    default: scalar()
    }
  }

  /// An object or a list; on one line when it holds nothing nested and is short.
  private mutating func members(_ indent: Int, isObject: Bool) -> String {
    rest.removeFirst()
    var parts: [(key: String, text: String)] = []
    while let next = rest.first, next != UInt8(ascii: "}"), next != UInt8(ascii: "]") {
      if next == UInt8(ascii: ",") { rest.removeFirst() }
      guard isObject else {
        parts.append(("", value(indent: indent + 2)))
        continue
      }
      let key = scalar()
      rest.removeFirst()
      parts.append((key, "\(key): \(value(indent: indent + 2))"))
    }
    if !rest.isEmpty { rest.removeFirst() }
    if isObject { parts.sort { Self.rank($0.key) < Self.rank($1.key) } }
    let (open, close) = isObject ? ("{", "}") : ("[", "]")
    if parts.isEmpty { return open + close }
    let line = parts.map(\.text).joined(separator: ", ")
    if line.utf8.count + indent <= 90, !line.utf8.contains(UInt8(ascii: "\n")) {
      return isObject ? "\(open) \(line) \(close)" : open + line + close
    }
    let margin = String(repeating: " ", count: indent + 2)
    let body = parts.map { margin + $0.text }.joined(separator: ",\n")
    return "\(open)\n\(body)\n\(String(repeating: " ", count: indent))\(close)"
  }

  /// The place of a key among its neighbours; one that is not listed comes last, as it was.
  private static func rank(_ key: String) -> Int { ranks[key] ?? ranks.count }

  /// One order serves every object: no two of them want the same keys in different orders.
  private static let ranks: [String: Int] = {
    let keys =
      [
        "schema", "seconds", "check", "wanted", "claimed", "measured", "uncertainty", "ok",
        "severity", "code", "message", "text", "command", "file", "line", "column", "kind",
        "method",
        "inUse", "keepsRunning", "phase", "name", "object", "unit", "ours", "enabled", "program",
        "started", "removed", "commands", "version", "address", "server", "active", "chosen",
        "ties",
        "profile",
        "profiles", "scope",
        "holder", "capabilities", "property", "value", "alternatives", "restored", "description",
        "source", "extends", "type", "from", "to", "deferred", "why", "remedy", "outcome", "detail",
        "steps",
        "properties", "preferred", "actual", "verdict", "reason", "waitingFor", "held", "running",
        "route",
        "inputs", "outputs", "cards", "codecs", "device", "checks", "what", "default", "state",
        "port",
        "portType", "channels",
      ] + SessionState.propertyNames + [
        "format", "via", "volume", "muted", "card", "findings", "checked",
      ]
    return Dictionary(
      keys.enumerated().map { ("\"\($0.element)\"", $0.offset) }, uniquingKeysWith: { a, _ in a })
  }()

  /// A string, number or word, up to what ends it.
  private mutating func scalar() -> String {
    let start = rest.startIndex
    var end = start
    if rest.first == UInt8(ascii: "\"") {
      end = rest.index(after: end)
      while end != rest.endIndex, rest[end] != UInt8(ascii: "\"") {
        if rest[end] == UInt8(ascii: "\\") { end = rest.index(after: end) }
        end = rest.index(after: end)
      }
      end = rest.index(after: end)
    } else {
      end = rest.firstIndex { ",:}]".utf8.contains($0) } ?? rest.endIndex
    }
    rest = rest[end...]
    return String(text[start..<end])
  }
}
