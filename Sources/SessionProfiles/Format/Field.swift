import SessionCore

/// A key of a profile file, which sets one property of the mode.
struct Field: Sendable {
  /// The table that the key is in; nil at the top.
  let table: String?
  /// The key in its table.
  let name: String
  /// The property that the key sets.
  let property: Property
  /// Reads the value into the mode, or reports what is wrong with it.
  let read: @Sendable (_ node: Node, _ mode: inout AudioMode, _ reading: inout Reading) -> Void
  /// The value as a file has it; nil if the mode does not set the property.
  let write: @Sendable (_ mode: AudioMode) -> String?
  /// Removes the property from the mode.
  let clear: @Sendable (_ mode: inout AudioMode) -> Void

  /// The key with its table, as in messages.
  var key: String { table.map { "\($0).\(name)" } ?? name }

  init<Value>(
    _ table: String?, _ name: String, _ property: Property,
    _ path: any WritableKeyPath<AudioMode, Value?> & Sendable, _ codec: Codec<Value>
  ) {
    self.table = table
    self.name = name
    self.property = property
    let label = Label(key: table.map { "\($0).\(name)" } ?? name, property: property.rawValue)
    read = { node, mode, reading in
      mode[keyPath: path] = codec.read(node, label, &reading)
    }
    write = { $0[keyPath: path].map(codec.write) }
    clear = { $0[keyPath: path] = nil }
  }
}
