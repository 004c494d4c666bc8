/// Encodes a type into a slot, key by key in its order.
///
/// Does not track coding paths: only a number can fail, and the message has it.
struct TreeEncoder: Encoder {
  let slot: Slot
  let style: JSON.Style
  /// The type whose value is being written.
  private var type: any Encodable.Type = Never.self

  /// Whether the type writes null for a missing value. Checked only in that case: for a type
  /// without the protocol, the runtime searches all conformances of the program.
  fileprivate var hasNulls: Bool { type is any EncodableWithNulls.Type }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func encode<Value: Encodable>(_ value: Value) throws {
    var encoder = self
    encoder.type = Value.self
    try value.encode(to: encoder)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    // A second container of one value adds to the first.
    slot.kind = .object
    // Keys that may be any text are a dictionary's, whose own order is another in every run. A cast
    // to find dictionaries would be a search through the program's conformances for each type.
    if Key(stringValue: Self.noKey) != nil { slot.isSorted = true }
    return KeyedEncodingContainer(Keyed<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    slot.kind = .list
    return Unkeyed(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  init(slot: Slot, style: JSON.Style) {
    self.slot = slot
    self.style = style
  }

  /// A text that no type has as a key.
  private static let noKey = "\u{0}"

  fileprivate func inner(_ key: (any CodingKey)? = nil) -> TreeEncoder {
    TreeEncoder(slot: slot.add(key.map { style.quoted($0.stringValue) }), style: style)
  }

  func write(_ text: String) {
    slot.kind = .scalar
    slot.text = text
  }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: TreeEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { encoder.inner(key).write("null") }
  func encode(_ value: some Encodable, forKey key: Key) throws {
    try encoder.inner(key).encode(value)
  }

  private func encodeAny(_ value: (some Encodable)?, _ key: Key) throws {
    if let value {
      try encode(value, forKey: key)
    } else if encoder.hasNulls {
      encodeNil(forKey: key)
    }
  }

  // One for each type: the protocol's own for these types would be taken before a generic one.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
    try encodeAny(value, key)
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Inner> {
    encoder.inner(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.inner(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.inner(NameKey("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.inner(key) }
}

private struct Unkeyed: UnkeyedEncodingContainer {
  let encoder: TreeEncoder
  var codingPath: [any CodingKey] { [] }
  var count: Int { encoder.slot.elements.count }

  func encodeNil() { encoder.inner().write("null") }
  func encode(_ value: some Encodable) throws { try encoder.inner().encode(value) }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type
  ) -> KeyedEncodingContainer<Inner> {
    encoder.inner().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.inner().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.inner() }
}

private struct Single: SingleValueEncodingContainer {
  let encoder: TreeEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { encoder.write("null") }
  func encode(_ value: some Encodable) throws { try encoder.encode(value) }
  func encode(_ value: Bool) { encoder.write(value ? "true" : "false") }
  func encode(_ value: String) { encoder.write(encoder.style.quoted(value)) }
  func encode(_ value: Double) throws { try encode(value, value.description) }
  func encode(_ value: Float) throws { try encode(value, value.description) }
  func encode(_ value: some FixedWidthInteger & Encodable) { encoder.write(String(value)) }

  /// A whole number without a fraction.
  private func encode(_ value: some BinaryFloatingPoint, _ text: String) throws {
    guard value.isFinite else {
      let context = EncodingError.Context(
        codingPath: [], debugDescription: "JSON has no number \(text)")
      throw EncodingError.invalidValue(value, context)
    }
    encoder.write(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}
