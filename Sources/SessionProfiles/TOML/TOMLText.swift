import TOMLKit

/// Reads TOML into nodes that know where they stand.
enum TOMLText {
  /// What is wrong with a text as TOML.
  struct Failure: Error {
    var position: Position?
    var message: String
  }

  /// No profile is longer; a file that is was named by mistake.
  static let limit = 1 << 20

  static func root(_ text: String) throws(Failure) -> Node {
    try check(text)
    let table = try parse(text)
    let scan = KeyScanner(text)
    if let position = scan.escapedNul {
      throw Failure(position: position, message: "a string has a NUL character in it")
    }
    return Reader(places: scan.places).table(table, at: [], Position())
  }

  private static func check(_ text: String) throws(Failure) {
    guard text.utf8.count <= limit else {
      throw Failure(message: "the text is longer than 1 MiB; no profile is")
    }
    guard !text.utf8.contains(0) else {
      let line = text.utf8.prefix { $0 != 0 }.count { $0 == UInt8(ascii: "\n") } + 1
      throw Failure(
        position: Position(line: line), message: "not a text: there is a NUL byte in this line")
    }
    try ParserGuard.check(text)
  }

  private static func parse(_ text: String) throws(Failure) -> TOMLTable {
    do {
      return try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      let place = error.source.begin
      throw Failure(
        position: Position(line: max(1, place.line), column: max(1, place.column)),
        message: "this is not TOML: \(Text.visible(error.description, limit: 300))")
    } catch {
      throw Failure(message: "this is not TOML: \(error)")
    }
  }

  /// Turns the parser's values into nodes.
  private struct Reader {
    let places: [[String]: Position]

    func table(_ table: TOMLTable, at path: [String], _ position: Position) -> Node {
      var entries: [Node.Entry] = []
      for key in table.keys {
        guard let value = table[key] else { continue }
        entries.append(.init(key: key, node: node(value, at: path + [key], position)))
      }
      // The parser sorts by name; the order of the file is what a reader expects.
      entries.sort { $0.node.position < $1.node.position }
      return Node(value: .table(entries), position: position)
    }

    private func node(
      _ value: any TOMLValueConvertible, at path: [String], _ parent: Position
    ) -> Node {
      let position = places[path] ?? parent
      if let table = value.table { return self.table(table, at: path, position) }
      return Node(value: scalar(value, at: path, position), position: position)
    }

    private func scalar(
      _ value: any TOMLValueConvertible, at path: [String], _ position: Position
    ) -> Node.Value {
      switch value.type {
      case .string: .string(value.string ?? "")
      case .int: .integer(value.int ?? 0)
      case .double: .double(value.double ?? 0)
      case .bool: .boolean(value.bool ?? false)
      case .array:
        .array(
          (value.array.map { Array($0) } ?? []).enumerated().map { at, element in
            node(element, at: path + [String(at)], position)
          })
      default: .other(value.type.description)
      }
    }
  }
}
