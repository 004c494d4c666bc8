/// The reading of one file, with the problems found so far.
package struct ProfileReading {
  /// More diagnostics would not help the user.
  package static let limit = 100

  package private(set) var mistakes: [Mistake] = []

  package init() {}

  /// Whether further problems are dropped.
  package var isFull: Bool { mistakes.count >= ProfileReading.limit }

  /// Reports a problem; always returns nil, so that a reader can return it.
  @discardableResult
  package mutating func report<Value>(
    _ message: String, at position: Position?, property: String? = nil, value: String? = nil,
    code: SessionError.Code = .invalidValue, as type: Value.Type = Never.self
  ) -> Value? {
    if !isFull {
      mistakes.append(
        Mistake(
          message: message, position: position, property: property, value: value, code: code))
    }
    return nil
  }

  /// Reports that a value is of the wrong type.
  package mutating func wrongType<Value>(
    _ node: Node, _ label: Label, _ expected: String
  ) -> Value? {
    report(
      "\(label.key) must be \(expected), not \(node.summary)", at: node.position,
      property: label.property, value: node.text, as: Value.self)
  }

  /// Reads every element of an array; nil if the value is no array, or one of them has a mistake.
  mutating func elements<Value>(
    of node: Node, _ label: Label, _ expected: @autoclosure () -> String,
    _ read: (Node, inout ProfileReading) -> Value?
  ) -> [Value]? {
    guard let nodes = node.array else { return wrongType(node, label, expected()) }
    var values: [Value] = []
    // What comes after so many mistakes is not read; the messages take time, too.
    for node in nodes where !isFull {
      if let value = read(node, &self) { values.append(value) }
    }
    return values.count == nodes.count ? values : nil
  }

  /// Reports that a value is unknown or impossible.
  mutating func wrongValue<Value>(_ node: Node, _ label: Label, _ message: String) -> Value? {
    report(
      message, at: node.position, property: label.property, value: node.text, as: Value.self)
  }
}
