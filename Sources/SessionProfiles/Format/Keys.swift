import SessionCore

/// Messages for unknown keys.
enum Keys {
  /// The keys at the top level that are not fields of the mode.
  static let top = ["schema", "description", "extends", "input", "output", "match"]
  static let match = ["inputs", "outputs"]

  /// The corresponding key in the other table.
  private static let counterparts = [
    "input.volume": "input.gain", "output.gain": "output.volume",
  ]

  /// `unknown key 'sample_rate'; did you mean 'sample-rate'?`.
  static func unknown(_ key: String, in table: String? = nil) -> String {
    if table == "match" { return Text.unknownKey(key, among: match, prefix: "match.") }
    let shown = table.map { "\($0).\(key)" } ?? key
    if let elsewhere = counterparts[shown] ?? elsewhere(key, not: table) {
      let hint =
        table == nil || elsewhere.contains(".")
        ? "" : " It belongs above the first [table] of the file"
      return "unknown key '\(Text.visible(shown))'; did you mean '\(elsewhere)'?\(hint)"
    }
    let fields = Property.rows.filter { $0.table == table }.map(\.name)
    guard let table else { return Text.unknownKey(key, among: fields + top) }
    return Text.unknownKey(key, among: fields, prefix: "\(table).")
  }

  /// A key that belongs to another table, or is the property's name in Swift.
  private static func elsewhere(_ key: String, not table: String?) -> String? {
    let name = Text.folded(key)
    guard !Property.rows.contains(where: { $0.table == table && Text.folded($0.name) == name })
    else {
      return nil
    }
    if table != nil, top.contains(key) { return key }
    return Property.rows.first {
      Text.folded($0.property.rawValue) == name || Text.folded($0.name) == name || $0.key == key
    }?.key
  }
}
