import FoundationEssentials

/// JSON as the program prints it: keys as documented, two spaces a level, short lists on one line.
enum JSONText {
  static func encode(_ value: some Encodable, isOneLine: Bool = false) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    var printer = JSONPrinter(text, isOneLine: isOneLine)
    return escaped(printer.print()) + "\n"
  }

  /// The encoder escapes what JSON forbids; here goes what else a terminal would act on.
  ///
  /// Such characters can only be inside of strings, so that escaping them anywhere is right.
  private static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.isHidden && $0 != "\n" }) else { return text }
    return text.unicodeScalars.map { scalar in
      guard scalar.isHidden, scalar != "\n" else { return String(scalar) }
      return scalar.utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }.joined()
  }
}
