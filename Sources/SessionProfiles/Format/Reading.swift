import SessionCore

/// The reading of one file, with the problems found so far.
struct Reading {
  /// More diagnostics would not help the user.
  static let limit = 100

  /// The file's name in messages.
  let file: String
  private(set) var diagnostics: [ProfileDiagnostic] = []

  init(file: String) { self.file = file }

  /// Reports a problem; always returns nil, so that a reader can return it.
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

  /// Whether further problems are dropped.
  var isFull: Bool { diagnostics.count >= Reading.limit }

  /// Adds a problem that has a position.
  mutating func add(_ diagnostic: ProfileDiagnostic) {
    if !isFull { diagnostics.append(diagnostic) }
  }

  /// Reports that a value is of the wrong type.
  mutating func wrongType<Value>(_ node: Node, _ label: Label, _ expected: String) -> Value? {
    report(
      "\(label.key) must be \(expected), not \(node.summary)", at: node.position,
      property: label.property, value: node.text, as: Value.self)
  }

  /// Reports that a value is unknown or impossible.
  mutating func wrongValue<Value>(_ node: Node, _ label: Label, _ message: String) -> Value? {
    report(
      message, at: node.position, property: label.property, value: node.text, as: Value.self)
  }
}

/// A key's name in messages, and the property of the session that it sets.
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
