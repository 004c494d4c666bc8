/// A value of a file, with its position for messages.
package struct Node {
  /// The types of TOML; of dates and times only the kind is kept, because no profile has any.
  package enum Value {
    case string(String)
    case integer(Int)
    case double(Double)
    case boolean(Bool)
    case other(String)
    case array([Node])
    case table([Entry])
  }

  /// One key of a table, in the order of the file.
  package struct Entry {
    package var key: String
    package var node: Node

    package init(key: String, node: Node) {
      self.key = key
      self.node = node
    }
  }

  package var value: Value
  /// The position of the value's key, or of the array's element.
  package var position: Position

  package init(value: Value, position: Position) {
    self.value = value
    self.position = position
  }

  package var string: String? { if case .string(let string) = value { string } else { nil } }
  package var integer: Int? { if case .integer(let integer) = value { integer } else { nil } }
  package var boolean: Bool? { if case .boolean(let boolean) = value { boolean } else { nil } }
  package var array: [Node]? { if case .array(let nodes) = value { nodes } else { nil } }
  package var table: [Entry]? { if case .table(let entries) = value { entries } else { nil } }

  /// The value in a message: `the string "yes"`, `an array`.
  package var summary: String {
    switch value {
    case .string(let string): "the string \"\(Text.visible(string))\""
    case .integer(let integer): "the number \(integer)"
    case .double(let double): "the number \(double)"
    case .boolean(let boolean): "\(boolean)"
    case .other(let name): "a \(name)"
    case .array: "an array"
    case .table: "a table"
    }
  }

  /// The bare value for the `value` of an error.
  package var text: String {
    switch value {
    case .string(let string): Text.visible(string)
    case .integer(let integer): "\(integer)"
    case .double(let double): "\(double)"
    default: summary
    }
  }
}
