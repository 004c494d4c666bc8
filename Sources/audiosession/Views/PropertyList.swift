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
    let rows = Property.reported.map { property in
      let words = property.row.synonyms.joined(separator: ", ")
      return (property.rawValue, words.isEmpty ? "" : "or " + words)
    }
    return [Line("What can be explained:", .bold)] + Layout.pairs(rows, width: width) + [.empty]
      + Layout.wrap("For example: audiosession explain microphone", indent: 0, width: width)
  }
}
