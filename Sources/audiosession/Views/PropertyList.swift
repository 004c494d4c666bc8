import AudioSession

/// What can be explained: the output of `explain` without a property.
struct PropertyList: Encodable {
  let schema = 1
  let properties = Property.reported.map {
    Item(name: $0.rawValue, label: $0.row.label, words: $0.row.synonyms)
  }

  struct Item: Encodable {
    let name: String
    let label: String
    let words: [String]
  }

  static func lines(width: Int?) -> [Line] {
    let head = [
      Line("What can be explained:", .bold)
    ]
    let rows = Property.reported.map { property -> [Span] in
      let words = property.row.synonyms
      return [
        Span(property.rawValue),
        Span(words.isEmpty ? "" : "or " + words.joined(separator: ", "), .dim),
      ]
    }
    let table = Layout.columns(rows, indent: 2)
    let isWide = width.map { width in table.allSatisfy { $0.width <= width } } ?? true
    let list =
      isWide
      ? table
      : rows.flatMap { row -> [Line] in
        [["  ", row[0]]] + Layout.wrap(row[1].text, indent: 6, width: width, style: .dim)
      }
    return head + list + [.empty]
      + Layout.wrap("For example: audiosession explain microphone", indent: 0, width: width)
  }
}
