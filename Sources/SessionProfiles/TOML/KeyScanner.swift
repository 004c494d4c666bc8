/// Finds where each key and each element of an array stands, in text that the parser has accepted.
///
/// The parser gives places for syntax errors only; an unknown key or a wrong value needs one too.
struct KeyScanner {
  /// The place of each path; an element's step is its number.
  private(set) var places: [[String]: Position] = [:]
  private var cursor: TextCursor
  /// How many `[[tables]]` each path has.
  private var counts: [[String]: Int] = [:]

  /// Where a string has an escaped NUL.
  var escapedNul: Position? { cursor.escapedNul }

  init(_ text: String) {
    cursor = TextCursor(text)
    var table: [String] = []
    while true {
      cursor.skipBlank()
      guard let next = cursor.peek else { return }
      if next == "[" {
        table = header()
      } else {
        pair(in: table)
      }
    }
  }

  /// Whether a key may begin with a scalar.
  static func beginsKey(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "\"", "'": true
    default: false
    }
  }

  /// Reads `[table]` or `[[table]]`.
  private mutating func header() -> [String] {
    let start = cursor.position
    cursor.advance()
    let isArray = cursor.peek == "["
    if isArray { cursor.advance() }
    let keys = dottedKey()
    while cursor.peek == "]" { cursor.advance() }
    var path: [String] = []
    for (at, key) in keys.enumerated() {
      path.append(key)
      mark(path, start)
      if isArray, at == keys.count - 1 { counts[path, default: 0] += 1 }
      if let count = counts[path] {
        path.append(String(count - 1))
        mark(path, start)
      }
    }
    return path
  }

  private mutating func pair(in table: [String]) {
    let start = cursor.position
    var path = table
    for key in dottedKey() {
      path.append(key)
      mark(path, start)
    }
    cursor.skipSpaces()
    if cursor.peek == "=" { cursor.advance() }
    value(at: path)
  }

  private mutating func mark(_ path: [String], _ position: Position) {
    if places[path] == nil { places[path] = position }
  }

  private mutating func dottedKey() -> [String] {
    var keys: [String] = []
    while true {
      cursor.skipSpaces()
      keys.append(key())
      cursor.skipSpaces()
      guard cursor.peek == "." else { return keys }
      cursor.advance()
    }
  }

  private mutating func key() -> String {
    if cursor.peek == "\"" || cursor.peek == "'" { return cursor.quoted() }
    var result = String.UnicodeScalarView()
    while let scalar = cursor.peek, !" \t\n\r.=[]{},#\"'".unicodeScalars.contains(scalar) {
      result.append(scalar)
      cursor.advance()
    }
    return String(result)
  }

  private mutating func value(at path: [String]) {
    cursor.skipSpaces()
    switch cursor.peek {
    case "[": elements(of: path)
    case "{": inlineTable(at: path)
    case "\"", "'": _ = cursor.quoted()
    default:
      // At least one, so that the scan always ends.
      cursor.advance()
      while let scalar = cursor.peek, !",]}\n#".unicodeScalars.contains(scalar) { cursor.advance() }
    }
  }

  private mutating func elements(of path: [String]) {
    cursor.advance()
    var number = 0
    while true {
      cursor.skipBlank()
      guard let next = cursor.peek else { return }
      if next == "]" || next == "," {
        cursor.advance()
        if next == "]" { return }
        continue
      }
      let element = path + [String(number)]
      mark(element, cursor.position)
      value(at: element)
      number += 1
    }
  }

  private mutating func inlineTable(at path: [String]) {
    cursor.advance()
    while true {
      cursor.skipBlank()
      guard let next = cursor.peek else { return }
      if next == "}" || next == "," {
        cursor.advance()
        if next == "}" { return }
        continue
      }
      pair(in: path)
    }
  }
}
