/// A key's name in messages, and the property of the session that it sets.
package struct Label: Sendable {
  /// As in the file: `input.polar-pattern`.
  package var key: String
  /// As in the state's JSON: `polarPattern`.
  package var property: String

  package init(key: String, property: String) {
    self.key = key
    self.property = property
  }

  var element: Label { Label(key: "an element of \(key)", property: property) }

  /// The label of a key inside the value.
  func inner(_ name: String) -> Label { Label(key: "\(key) \(name)", property: property) }
}
