import POSIX
import SessionCore

/// Reads PipeWire's configuration: JSON in which `=`, `:` and `,` are spaces, names need no quotes, and
/// `#` begins a comment. Source: spa/utils/json.h.
struct GraphSettings {
  private var tokens: [(text: String, line: Int)] = []
  private var next = 0
  private let file: String
  private var settings: [MachineFacts.Line] = []

  /// The settings of a file that are plain values or lists of them, of all its sections; a list as
  /// `[ 44100 48000 ]`. Empty if the file cannot be read.
  static func read(_ file: String) -> [MachineFacts.Line] {
    var reader = GraphSettings(file)
    while reader.next < reader.tokens.count { reader.readSection() }
    return reader.settings
  }

  private init(_ file: String) {
    self.file = file
    for (index, line) in File.text(file).split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      var rest = line[...]
      while let first = rest.first, first != "#" {
        let token: Substring
        if first == "\"" {
          token = rest.dropFirst().prefix { $0 != "\"" }
          rest = rest.dropFirst(token.count + 2)
        } else if "[]{}".contains(first) {
          token = rest.prefix(1)
          rest.removeFirst()
        } else {
          token = rest.prefix { !" \t\r=:,[]{}\"#".contains($0) }
          rest = rest.dropFirst(max(token.count, 1))
          if token.isEmpty { continue }
        }
        tokens.append((String(token), index + 1))
      }
    }
  }

  private mutating func take() -> (text: String, line: Int)? {
    guard next < tokens.count else { return nil }
    next += 1
    return tokens[next - 1]
  }

  /// Reads names and values to the end of a section; `depth` is limited as in JSON.
  private mutating func readSection(_ depth: Int = 0) {
    while let (key, line) = take(), key != "}" {
      guard key != "{", let value = take()?.text else { continue }
      switch value {
      case "{" where depth < 256: readSection(depth + 1)
      case "[":
        if let items = takeList() {
          note(key, (["["] + items + ["]"]).joined(separator: " "), line)
        }
      default: note(key, value, line)
      }
    }
  }

  /// The values of a list; nil if there are lists or sections in it, or it has no end.
  private mutating func takeList() -> [String]? {
    var (items, depth, isPlain): ([String], Int, Bool) = ([], 1, true)
    while let item = take()?.text {
      switch item {
      case "[", "{": (depth, isPlain) = (depth + 1, false)
      case "]", "}": depth -= 1
      default: items.append(item)
      }
      if depth == 0 { return isPlain ? items : nil }
    }
    return nil
  }

  private mutating func note(_ key: String, _ value: String, _ line: Int) {
    settings.append(MachineFacts.Line(key, value, file: file, number: line))
  }
}
