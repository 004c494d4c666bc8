import AudioSession

/// Lays out JSON that has no white space; values stay as they are, keys come in the documented order.
struct JSONPrinter {
  private var rest: Substring.UTF8View
  private let text: String
  /// Whether it stays without white space.
  private let isOneLine: Bool

  init(_ text: String, isOneLine: Bool = false) {
    self.text = text
    self.isOneLine = isOneLine
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
      let colon = isOneLine ? ":" : ": "
      parts.append((key, key + colon + value(indent: indent + 2)))
    }
    if !rest.isEmpty { rest.removeFirst() }
    if isObject { parts.sort { Self.rank($0.key) < Self.rank($1.key) } }
    let (open, close) = isObject ? ("{", "}") : ("[", "]")
    if parts.isEmpty || isOneLine {
      return open + parts.map(\.text).joined(separator: ",") + close
    }
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
      words(
        """
        schema time event check wanted claimed measured uncertainty ok
        server device severity code kind method inUse keepsRunning phase pid name object message text
        since version address directory environment command file line column what opponents seconds
        unit ours program enabled chosen description source extends default state type availability
        priority available active profile fits points ties profiles scope holder started removed commands
        capabilities latencyReadback stickyProfiles moduleLoading roleModules
        property value alternatives restored from to amplitude deferred why remedy outcome detail
        simulatedCards notice fault occasion steps properties preferred actual verdict reason waitingFor
        previous current cause by shouldResume causes choices unmet left error diagnostics same
        entries plans different
        route inputs outputs cards port portType channels interrupted resets reapplies fights
        pins processing events notes checks findings checked skipped latency
        """) + SessionState.propertyNames
      + words(
        """
        held running format via volume muted card ports codecs polarPatterns position frames toml played levels bands
        channel peak rms hold clipping missing
        """)
    return Dictionary(
      keys.enumerated().map { ("\"\($0.element)\"", $0.offset) }, uniquingKeysWith: { a, _ in a })
  }()

  private static func words(_ text: String) -> [String] {
    text.split { $0.isWhitespace }.map(String.init)
  }

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
