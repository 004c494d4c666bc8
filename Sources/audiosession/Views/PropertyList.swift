import AudioSession
import JSONCoding

/// What can be explained: the output of `explain` without a property.
enum PropertyList {
  static var json: JSONObject {
    let properties = Property.reported.map { property -> JSONObject in
      [
        "name": property.rawValue, "label": property.row.label, "words": property.row.synonyms,
      ]
    }
    return ["properties": properties]
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
