/// A run of a page's text.
enum PageSpan: Equatable {
  case plain(String)
  /// Code, a key, a value.
  case code(String)
  case strong(String)

  /// The runs of a text; a link becomes the last part of its name.
  static func parse(_ text: String) -> [PageSpan] {
    var spans: [PageSpan] = []
    var rest = text[...]
    while !rest.isEmpty {
      if let code = take("``", &rest) {
        let name = code.split(separator: "/").suffix(2).joined(separator: ".")
        spans.append(.code(String(name.prefix { $0 != "(" })))
      } else if let code = take("`", &rest) {
        spans.append(.code(String(code)))
      } else if let strong = take("**", &rest) {
        spans.append(.strong(String(strong.filter { $0 != "`" })))
      } else if rest.hasPrefix("<doc:"), let end = rest.firstIndex(of: ">") {
        spans.append(.strong(String(rest[..<end].dropFirst(5))))
        rest = rest[rest.index(after: end)...]
      } else if let strong = take("*", &rest) {
        spans.append(.strong(String(strong)))
      } else {
        let end = rest.dropFirst().firstIndex { "`*<".contains($0) } ?? rest.endIndex
        spans.append(.plain(String(rest[..<end])))
        rest = rest[end...]
      }
    }
    return spans
  }

  /// The text between two marks at the start; nil if there is no closed pair.
  private static func take(_ mark: String, _ rest: inout Substring) -> Substring? {
    guard rest.hasPrefix(mark), !rest.hasPrefix(mark + " ") else { return nil }
    let body = rest.dropFirst(mark.count)
    guard let end = body.firstRange(of: mark) else { return nil }
    rest = body[end.upperBound...]
    return body[..<end.lowerBound]
  }

  var text: String {
    switch self {
    case .plain(let text), .code(let text), .strong(let text): text
    }
  }
}
