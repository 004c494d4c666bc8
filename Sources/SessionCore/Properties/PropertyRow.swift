import PulseTypes

/// Everything that the session knows about one property: its key in a profile file, its label and unit,
/// and how it is validated, planned, reported and explained.
///
/// The row is in the property's file. `Property.row` is the only switch over properties; mode layering,
/// profiles, views and `explain` use the rows.
package final class PropertyRow: Sendable {
  package let property: Property
  /// The table of a profile file that its key is in; nil at the top.
  package let table: String?
  /// The key in its table.
  package let name: String
  /// The direction that its table is about.
  let direction: Direction?
  /// The label in tables: `sample rate`.
  package let label: String
  package let unit: PropertyUnit
  /// The comment above its line in a saved profile; nil if there is none.
  package let meaning: String?
  /// Other names that `explain` accepts, in any spelling.
  package let synonyms: [String]
  /// A property that a mode cannot have besides, and why; one of the two rows names the other.
  let excludes: (property: Property, why: String)?
  /// How it is planned and reported; nil if it only qualifies other properties.
  let aspect: (any Aspect)?

  /// Reads the value into a mode, or reports what is wrong with it.
  package let read:
    @Sendable (_ node: Node, _ mode: inout AudioMode, _ reading: inout ProfileReading) -> Void
  /// The value as a file has it; nil if the mode does not set the property.
  package let write: @Sendable (_ mode: AudioMode) -> String?
  package let isSet: @Sendable (_ mode: AudioMode) -> Bool
  /// Whether the mode's value needs a device of the direction. (Changes nothing; a mode is large to copy.)
  let needsDevice: @Sendable (_ mode: inout AudioMode) -> Bool
  package let clear: @Sendable (_ mode: inout AudioMode) -> Void
  /// Copies the value from another mode if this one does not set it.
  let fill: @Sendable (_ mode: inout AudioMode, _ base: AudioMode) -> Void
  /// Throws if the value is invalid on any server.
  let validate: @Sendable (_ mode: AudioMode) throws(SessionError) -> Void

  typealias Validation<Value> =
    @Sendable (_ value: Value, _ property: Property, _ mode: AudioMode) throws(SessionError) -> Void

  /// Passes the field of a property to a function. (A key path takes twenty times as long to make, at
  /// each start of the program.)
  typealias Field<Value> =
    @Sendable (_ mode: inout AudioMode, _ use: (inout Value?) -> Void) -> Void

  /// The key with its table, as in messages.
  package var key: String { table.map { "\($0).\(name)" } ?? name }

  /// - Parameters:
  ///   - key: the key of a profile file, with its table.
  ///   - needsDevice: whether a value needs a device of its table's direction.
  ///   - check: throws if the value is invalid in its mode.
  init<Value>(
    _ property: Property, _ field: @escaping Field<Value>, _ key: String,
    _ notation: Notation<Value>, label: String? = nil, unit: PropertyUnit = .none,
    meaning: String? = nil, synonyms: [String] = [],
    excludes: (property: Property, why: String)? = nil, aspect: (any Aspect)? = nil,
    needsDevice: @escaping @Sendable (Value) -> Bool = { _ in true },
    check: Validation<Value>? = nil
  ) {
    self.property = property
    if let dot = key.utf8.firstIndex(of: UInt8(ascii: ".")) {
      table = String(key[..<dot])
      name = String(key[key.utf8.index(after: dot)...])
    } else {
      (table, name) = (nil, key)
    }
    direction = table.flatMap { Direction(rawValue: $0) }
    self.label = label ?? Words.spaced(property.rawValue)
    self.unit = unit
    self.meaning = meaning
    self.synonyms = synonyms
    self.excludes = excludes
    self.aspect = aspect
    let shown = Label(key: key, property: property.rawValue)
    let value = { @Sendable (mode: AudioMode) -> Value? in
      var (mode, value) = (mode, Value?.none)
      field(&mode) { value = $0 }
      return value
    }
    read = { node, mode, reading in
      let value = notation.read(node, shown, &reading)
      field(&mode) { $0 = value }
    }
    write = { value($0).map(notation.write) }
    isSet = { value($0) != nil }
    self.needsDevice = { mode in
      var result = false
      field(&mode) { result = $0.map(needsDevice) ?? false }
      return result
    }
    clear = { field(&$0) { $0 = nil } }
    fill = { mode, base in field(&mode) { if $0 == nil { $0 = value(base) } } }
    validate = { (mode) throws(SessionError) in
      guard check != nil || excludes != nil, let value = value(mode) else { return }
      if let excludes, excludes.property.row.isSet(mode) {
        throw Check.failure(property, "\(value)", "\(excludes.why); keep one of them")
      }
      try check?(value, property, mode)
    }
  }
}
