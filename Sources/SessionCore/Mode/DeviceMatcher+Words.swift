extension DeviceMatcher {
  /// How many names it has.
  var words: Int {
    switch self {
    case .default, .portType, .name, .formFactor: 1
    case .properties(let properties): properties.count
    case .all(let parts): parts.reduce(0) { $0 + $1.words }
    }
  }
}
