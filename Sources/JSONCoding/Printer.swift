/// Formats the encoded values.
struct Printer {
  private let style: JSON.Style
  private(set) var bytes: [UInt8] = []

  init(_ style: JSON.Style) { self.style = style }

  mutating func write(_ slot: Slot) {
    if style.isOneLine { writeLine(slot) } else { write(slot, indent: 0) }
  }

  /// Without white space.
  private mutating func writeLine(_ slot: Slot) {
    guard slot.kind != .scalar else { return bytes += slot.text.utf8 }
    bytes.append(UInt8(ascii: slot.kind == .object ? "{" : "["))
    for (count, at) in slot.order.enumerated() {
      if count > 0 { bytes.append(UInt8(ascii: ",")) }
      if slot.kind == .object {
        bytes += slot.keys[at].utf8
        bytes.append(UInt8(ascii: ":"))
      }
      writeLine(slot.elements[at])
    }
    bytes.append(UInt8(ascii: slot.kind == .object ? "}" : "]"))
  }

  /// On several lines, if it is too long for one or contains such a value.
  private mutating func write(_ slot: Slot, indent: Int) {
    guard slot.kind != .scalar else { return bytes += slot.text.utf8 }
    let isObject = slot.kind == .object
    let isEmpty = slot.elements.isEmpty
    // An element that needs several lines is too long for this line, too.
    let isShort = slot.inside + indent <= 90
    let margin = isShort ? "" : "\n" + String(repeating: " ", count: indent + 2)
    let padding = isShort && isObject && !isEmpty ? " " : ""
    bytes += "\(isObject ? "{" : "[")\(padding)\(isEmpty ? "" : margin)".utf8
    let separator = Array((isShort ? ", " : ",\(margin)").utf8)
    for (count, at) in slot.order.enumerated() {
      if count > 0 { bytes += separator }
      if isObject {
        bytes += slot.keys[at].utf8
        bytes += ": ".utf8
      }
      write(slot.elements[at], indent: indent + 2)
    }
    let end = isShort ? "" : "\n" + String(repeating: " ", count: indent)
    bytes += "\(end)\(padding)\(isObject ? "}" : "]")".utf8
  }
}

extension JSON.Style {
  /// A text as a string in double quotes.
  package func quoted(_ string: String) -> String {
    var string = string
    let isPlain = string.withUTF8 { bytes in
      bytes.allSatisfy {
        $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
    }
    if isPlain { return "\"" + string + "\"" }
    var result = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{8}": result += "\\b"
      case "\u{C}": result += "\\f"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || isEscaped(scalar):
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
