import JSONCoding

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

/// How values look in TOML.
package enum TOMLWords {
  /// A string in double quotes; JSON's escapes of one unit of UTF-16 are TOML's, too.
  package static func quoted(_ string: String) -> String {
    // Those that a terminal would obey, too: `profiles show` prints a file that can be read.
    JSON.Style.shown(isOneLine: true) { $0.isHidden && $0.value <= 0xFFFF }.quoted(string)
  }

  /// A key, quoted where it must be.
  package static func key(_ key: String) -> String {
    key.utf8.allSatisfy(\.isBare) && !key.isEmpty ? key : quoted(key)
  }

  package static func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ", ") + "]"
  }

  package static func table(_ pairs: [(key: String, value: String)]) -> String {
    "{ " + pairs.map { "\(key($0.key)) = \($0.value)" }.joined(separator: ", ") + " }"
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
