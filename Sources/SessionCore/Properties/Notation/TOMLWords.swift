import JSONCoding

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
