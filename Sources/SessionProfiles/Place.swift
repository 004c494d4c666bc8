import SessionCore

/// The position of a property in its file.
struct Place: Sendable, Hashable {
  var position: Position
  /// The value as written, if it is one word or number.
  var text: String?

  init(_ node: Node) {
    position = node.position
    switch node.value {
    case .string, .integer: text = node.text
    default: text = nil
    }
  }
}
