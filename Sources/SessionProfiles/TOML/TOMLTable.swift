import SessionCore

/// A table while its text is parsed, with TOML's rules for reopening it.
///
/// Inline tables and arrays of values are complete once they are parsed, so they are values here.
final class TOMLTable {
  /// What created the table, which determines what may be added.
  enum Origin {
    /// A longer header; its own header or dotted keys may follow.
    case implied
    /// A header, once.
    case header
    /// A dotted key; only dotted keys of the same table add to it.
    case dotted
  }

  enum Content {
    case value(Node.Value)
    case table(TOMLTable)
    case list(List)

    /// The kind of contents, for messages.
    fileprivate var summary: String {
      switch self {
      case .value(.table): "an inline table"
      case .value(.array): "an array"
      case .value: "a value"
      case .table: "a table"
      case .list: "an array of tables"
      }
    }
  }

  /// The tables of `[[name]]`.
  final class List {
    fileprivate(set) var tables: [TOMLTable] = []
  }

  private struct Entry {
    var key: String
    var position: Position
    var content: Content
  }

  private(set) var origin: Origin
  let position: Position
  private var entries: [Entry] = []
  private var places: [String: Int] = [:]

  init(_ origin: Origin, at position: Position) {
    self.origin = origin
    self.position = position
  }

  /// The table as a value, with its keys in the order of the file.
  var node: Node {
    let entries = entries.map { entry in
      let value: Node.Value =
        switch entry.content {
        case .value(let value): value
        case .table(let table): table.node.value
        case .list(let list): .array(list.tables.map(\.node))
        }
      return Node.Entry(key: entry.key, node: Node(value: value, position: entry.position))
    }
    return Node(value: .table(entries), position: position)
  }

  /// Sets a key that has not been set.
  func set(_ key: TOMLKey, _ value: Node.Value) throws(TOMLText.Failure) {
    if let former = entry(key) {
      throw key.failure("\(key.shown) is set already, in line \(former.position.line)")
    }
    add(key, .value(value))
  }

  /// The table for a part of a dotted key.
  func dotted(_ key: TOMLKey) throws(TOMLText.Failure) -> TOMLTable {
    guard let former = entry(key) else { return add(key, .dotted) }
    guard case .table(let table) = former.content, table.origin != .header else {
      throw taken(key, former, "a key with dots cannot add to it")
    }
    table.origin = .dotted
    return table
  }

  /// The table for a part of a header: the last one of an array of tables.
  func step(_ key: TOMLKey) throws(TOMLText.Failure) -> TOMLTable {
    guard let former = entry(key) else { return add(key, .implied) }
    switch former.content {
    case .table(let table): return table
    case .list(let list) where !list.tables.isEmpty: return list.tables[list.tables.count - 1]
    default: throw taken(key, former, "no [table] can be in it")
    }
  }

  func begin(_ key: TOMLKey) throws(TOMLText.Failure) -> TOMLTable {
    guard let former = entry(key) else { return add(key, .header) }
    if case .table(let table) = former.content, table.origin == .implied {
      table.origin = .header
      return table
    }
    throw taken(key, former, "[\(key.path)] cannot begin it once more")
  }

  /// Adds a table to an array of tables.
  func append(_ key: TOMLKey) throws(TOMLText.Failure) -> TOMLTable {
    let table = TOMLTable(.header, at: key.position)
    guard let former = entry(key) else {
      let list = List()
      list.tables.append(table)
      add(key, .list(list))
      return table
    }
    guard case .list(let list) = former.content else {
      throw taken(key, former, "[[\(key.path)]] cannot add to it")
    }
    list.tables.append(table)
    return table
  }

  private func taken(_ key: TOMLKey, _ former: Entry, _ why: String) -> TOMLText.Failure {
    let line = former.position.line
    return key.failure("\(key.shown) is \(former.content.summary) already, in line \(line); \(why)")
  }

  private func entry(_ key: TOMLKey) -> Entry? { places[key.name].map { entries[$0] } }

  private func add(_ key: TOMLKey, _ content: Content) {
    places[key.name] = entries.count
    entries.append(Entry(key: key.name, position: key.position, content: content))
  }

  private func add(_ key: TOMLKey, _ origin: Origin) -> TOMLTable {
    let table = TOMLTable(origin, at: key.position)
    add(key, .table(table))
    return table
  }
}
