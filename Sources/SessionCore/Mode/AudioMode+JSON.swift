package import JSONCoding

extension AudioMode {
  /// Every property by its name, in the form of a state's preferred values; null if the mode does not set
  /// it.
  package var json: JSONObject {
    let context = PlanContext(PlanInput(mode: self, snapshot: .none))
    return JSONObject(
      Property.rows.map { row in
        let value =
          row.aspect.map { $0.preferred(context) }
          ?? row.write(self).map(StateValue.init(word:))
        return (row.property.rawValue, value)
      })
  }
}

extension StateValue {
  /// The value of a property that only qualifies others, from its line of a profile: true or false, a word,
  /// or a list of words.
  fileprivate init(word line: String) {
    let words = line.split(separator: "\"").map(String.init)
    self =
      switch line.first {
      case "[": .strings(words.filter { $0.contains(where: \.isLetter) })
      case "\"": .string(words.first ?? "")
      default: Double(line).map(StateValue.number) ?? .flag(line == "true")
      }
  }
}
