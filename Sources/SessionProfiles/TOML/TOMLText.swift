import SessionCore

/// Parses TOML 1.0 into nodes with positions.
///
/// Does not accept some valid TOML: a NUL character in a string, two keys of one table that differ
/// only in their Unicode composition, and deeper nesting than any profile has.
enum TOMLText {
  /// A syntax error.
  struct Failure: Error {
    var position: Position?
    var message: String
  }

  /// No profile is longer; a longer file was named by mistake.
  static let limit = 1 << 20
  /// The depth of nested tables and arrays; no profile comes near it.
  static let depthLimit = 24

  static func root(_ text: String) throws(Failure) -> Node {
    guard text.utf8.count <= limit else {
      throw Failure(message: "the text is longer than 1 MiB; no profile is")
    }
    var reader = TOMLReader(text)
    return try reader.document()
  }
}
