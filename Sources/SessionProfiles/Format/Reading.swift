import SessionCore

/// The reading of one file: what was found wrong so far.
struct Reading {
  /// More help nobody.
  static let limit = 100

  /// What messages call the file.
  let file: String
  private(set) var diagnostics: [ProfileDiagnostic] = []

  init(file: String) { self.file = file }

  /// Notes a problem; always nil, so that a reader can return it.
  @discardableResult
  mutating func report<Value>(
    _ message: String, at position: Position?, severity: ProfileDiagnostic.Severity = .error,
    property: String? = nil, value: String? = nil, code: SessionError.Code = .invalidValue,
    as type: Value.Type = Never.self
  ) -> Value? {
    add(
      ProfileDiagnostic(
        message, file: file, at: position, severity: severity, property: property, value: value,
        code: code))
    return nil
  }

  /// Whether more would not be noted.
  var isFull: Bool { diagnostics.count >= Reading.limit }

  /// Notes a problem that has its place.
  mutating func add(_ diagnostic: ProfileDiagnostic) {
    if !isFull { diagnostics.append(diagnostic) }
  }

  /// Notes that a value is of the wrong type.
  mutating func wrongType<Value>(_ node: Node, _ label: Label, _ expected: String) -> Value? {
    report(
      "\(label.key) must be \(expected), not \(node.summary)", at: node.position,
      property: label.property, value: node.text, as: Value.self)
  }

  /// Notes that a value is none that is known or possible.
  mutating func wrongValue<Value>(_ node: Node, _ label: Label, _ message: String) -> Value? {
    report(
      message, at: node.position, property: label.property, value: node.text, as: Value.self)
  }
}

/// What messages call a key, and the property of the session that it sets.
struct Label: Sendable {
  /// As in the file: `input.polar-pattern`.
  var key: String
  /// As in the state's JSON: `polarPattern`.
  var property: String

  /// The label of an element of the value.
  var element: Label { Label(key: "an element of \(key)", property: property) }

  /// The label of a key inside the value.
  func inner(_ name: String) -> Label { Label(key: "\(key) \(name)", property: property) }
}
