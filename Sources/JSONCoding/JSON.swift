/// JSON without Foundation: what the program prints, and what the session's files and traces hold.
package enum JSON {
  /// How a text looks.
  package struct Style: Sendable {
    /// Whether it stays in one line without white space.
    var isOneLine: Bool
    /// The characters to escape in addition to those that JSON forbids.
    var isEscaped: @Sendable (Unicode.Scalar) -> Bool

    /// For files: in one line.
    package static let file = Style(isOneLine: true, isEscaped: { _ in false })

    /// For people and programs: unless in one line, two spaces a level, with short lists and objects
    /// on one line.
    package static func shown(
      isOneLine: Bool, isEscaped: @escaping @Sendable (Unicode.Scalar) -> Bool
    ) -> Style {
      Style(isOneLine: isOneLine, isEscaped: isEscaped)
    }
  }

  /// What is wrong with a text as JSON.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// No file of the session and no line of a trace comes near it.
  package static let sizeLimit = 1 << 26
  /// How many objects and lists a value may be inside of.
  package static let depthLimit = 256

  /// The text of a value, its keys in the order in which its type writes them.
  ///
  /// Throws `EncodingError` for a number that is infinite or none.
  package static func encode(_ value: some Encodable, _ style: Style = .file) throws -> [UInt8] {
    let slot = Slot()
    try TreeEncoder(slot: slot, style: style).encode(value)
    var printer = Printer(style)
    printer.write(slot)
    return printer.bytes
  }

  /// Reads a value; throws `JSON.Failure` for what is not JSON and `DecodingError` for another value.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: some Sequence<UInt8>
  ) throws -> Value {
    try Value(from: TreeDecoder(value: try JSONParser.value(Array(bytes))))
  }
}
