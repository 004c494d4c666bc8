/// The notation of one kind of value in a profile file, in both directions.
package struct Notation<Value: Sendable>: Sendable {
  /// Reads a value, or reports what is wrong with it and returns nil.
  package let read:
    @Sendable (_ node: Node, _ label: Label, _ reading: inout ProfileReading) -> Value?
  /// Writes a value so that `read` returns it.
  package let write: @Sendable (_ value: Value) -> String
}

extension Notation<Bool> {
  /// `true` or `false`.
  package static let boolean = Notation { node, label, reading in
    node.boolean ?? reading.wrongType(node, label, "true or false (without quotes)")
  } write: {
    "\($0)"
  }
}

extension Notation<Int> {
  /// A whole number, with a unit if there is one.
  package static func integer(of unit: String? = nil, example: Int) -> Notation {
    let what = "a whole number" + (unit.map { " of \($0)" } ?? "")
    return Notation { node, label, reading in
      node.integer ?? reading.wrongType(node, label, "\(what), such as \(example)")
    } write: {
      "\($0)"
    }
  }
}

extension Notation<String> {
  /// A string of one line or several, without control characters.
  package static let text = Notation { node, label, reading in
    guard let string = node.string else { return reading.wrongType(node, label, "a string") }
    let isPrintable = string.unicodeScalars.allSatisfy {
      $0 == "\n" || $0 == "\t" || !$0.isControl
    }
    guard isPrintable else {
      return reading.wrongValue(node, label, "\(label.key) has a control character in it")
    }
    return string
  } write: {
    TOMLWords.quoted($0)
  }
}

/// The letters and digits of ASCII.
extension UInt8 {
  package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
  package var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }
  /// Whether an unquoted key of TOML can contain it.
  package var isBare: Bool {
    isDigit || isLetter || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
  }
}
