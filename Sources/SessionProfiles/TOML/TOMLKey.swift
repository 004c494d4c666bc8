import SessionCore

/// One part of a key, with the position of the whole.
struct TOMLKey {
  var name: String
  /// The parts up to this one, for messages.
  var path: String
  /// The position of the whole key or header.
  var position: Position

  init(_ name: String, after former: TOMLKey?, at position: Position) {
    self.name = name
    self.position = position
    let shown = Text.visible(name)
    path = former.map { "\($0.path).\(shown)" } ?? shown
  }

  /// The key for messages.
  var shown: String { "'\(path)'" }

  func failure(_ message: String) -> TOMLText.Failure {
    .init(position: position, message: "this is not TOML: \(message)")
  }
}
