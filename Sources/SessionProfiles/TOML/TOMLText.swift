import SessionCore

/// Reads TOML 1.0 into nodes that know where they stand.
///
/// Not accepted, though TOML has it: a NUL character in a string, two keys of one table that differ
/// only in how their characters are composed, and nesting deeper than any profile's.
enum TOMLText {
  /// What is wrong with a text as TOML.
  struct Failure: Error {
    var position: Position?
    var message: String
  }

  /// No profile is longer; a file that is was named by mistake.
  static let limit = 1 << 20
  /// Tables and arrays inside of each other; no profile comes near it.
  static let depthLimit = 24

  static func root(_ text: String) throws(Failure) -> Node {
    guard text.utf8.count <= limit else {
      throw Failure(message: "the text is longer than 1 MiB; no profile is")
    }
    var reader = TOMLReader(text)
    return try reader.document()
  }
}
