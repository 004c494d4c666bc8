/// Decodes a type from the parsed value, key by key.
struct TreeDecoder: Decoder {
  let value: JSONValue

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch("an object") }
    return KeyedDecodingContainer(Keyed<Key>(members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let elements) = value else { throw mismatch("a list") }
    return Unkeyed(elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  /// Decodes a value; refuses a duration with which nothing can be calculated.
  fileprivate func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try Value(from: self)
    // The comparison first: a cast of any other type is a search through the program's conformances.
    guard Value.self == Duration.self, let duration = value as? Duration else { return value }
    let greatest = Duration.microseconds(Int64.max)
    guard duration <= greatest, duration >= .zero - greatest else {
      throw mismatch("a duration that fits", type)
    }
    return value
  }

  fileprivate func mismatch(_ expected: String, _ type: Any.Type = Any.self) -> DecodingError {
    .typeMismatch(
      type, .init(codingPath: [], debugDescription: "\(value.summary) is not \(expected)"))
  }
}

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let members: [(key: String, value: JSONValue)]
  /// Where each key is, for objects in which looking at all takes longer; of two alike the first.
  private let places: [String: Int]?
  var codingPath: [any CodingKey] { [] }

  init(_ members: [(key: String, value: JSONValue)]) {
    self.members = members
    let isLarge = members.count > 8
    places =
      isLarge
      ? Dictionary(
        members.enumerated().map { ($0.element.key, $0.offset) },
        uniquingKeysWith: { first, _ in first })
      : nil
  }

  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

  private func find(_ key: some CodingKey) -> JSONValue? {
    let name = key.stringValue
    if let places { return places[name].map { members[$0].value } }
    return members.first { $0.key == name }?.value
  }

  private func decoder(_ key: some CodingKey) throws -> TreeDecoder {
    guard let value = find(key) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: [], debugDescription: "there is no \"\(key.stringValue)\""))
    }
    return TreeDecoder(value: value)
  }

  func contains(_ key: Key) -> Bool { find(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    if case .null = try decoder(key).value { true } else { false }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Inner> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder(NameKey("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct Unkeyed: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  private mutating func next() throws -> TreeDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self, .init(codingPath: [], debugDescription: "the list is too short"))
    }
    defer { currentIndex += 1 }
    return TreeDecoder(value: elements[currentIndex])
  }

  mutating func decodeNil() -> Bool {
    guard !isAtEnd, case .null = elements[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next().decode(type)
  }

  mutating func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type
  ) throws -> KeyedDecodingContainer<Inner> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}

private struct Single: SingleValueDecodingContainer {
  let decoder: TreeDecoder
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { if case .null = decoder.value { true } else { false } }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .flag(let flag) = decoder.value else { throw decoder.mismatch("a flag", type) }
    return flag
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .string(let string) = decoder.value else {
      throw decoder.mismatch("a string", type)
    }
    return string
  }

  func decode(_ type: Double.Type) throws -> Double { try number(Double.init) }
  func decode(_ type: Float.Type) throws -> Float { try number(Float.init) }

  private func number<Number: BinaryFloatingPoint>(_ parse: (String) -> Number?) throws -> Number {
    guard case .number(let text) = decoder.value, let number = parse(text), number.isFinite else {
      throw decoder.mismatch("a number that fits", Number.self)
    }
    return number
  }

  /// Also from `1.0` and `1e3`.
  func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
    guard case .number(let text) = decoder.value,
      let number = Number(text) ?? Double(text).flatMap({ Number(exactly: $0) })
    else { throw decoder.mismatch("a whole number that fits", Number.self) }
    return number
  }
}
