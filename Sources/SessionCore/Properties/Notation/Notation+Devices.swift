extension Notation<[DeviceMatcher]> {
  /// A ranked list of names, globs and tables.
  package static let devices = Notation { node, label, reading in
    MatcherFormat.list(node, label, &reading)
  } write: {
    TOMLWords.array($0.map(MatcherFormat.text))
  }
}

extension Notation<[PortMatcher]> {
  /// A ranked list of names, globs and `type:…`.
  static let ports = Notation { node, label, reading in
    let example = node.string.map { Text.visible($0) } ?? "type:mic"
    return reading.elements(
      of: node, label, "an array of names, globs and types, such as [\"\(example)\"]"
    ) { port($0, label, &$1) }
  } write: {
    TOMLWords.array($0.map { TOMLWords.quoted($0.description) })
  }

  private static func port(
    _ node: Node, _ label: Label, _ reading: inout ProfileReading
  ) -> PortMatcher? {
    guard let word = node.string else {
      return reading.wrongType(node, label.element, "a string, such as \"type:mic\"")
    }
    guard word.hasPrefix("type:") else { return .name(word) }
    let type = String(word.dropFirst("type:".count))
    let vocabulary = Vocabulary<PortType>.portTypes
    return vocabulary[type].map(PortMatcher.type)
      ?? reading.wrongValue(node, label, vocabulary.unknown(type, "\(label.key) type"))
  }
}

/// One device matcher in a file: a word, or a table whose keys must all match.
private enum MatcherFormat {
  static let keys = ["name", "port-type", "form-factor", "property", "all"]

  static func list(
    _ node: Node, _ label: Label, _ reading: inout ProfileReading
  ) -> [DeviceMatcher]? {
    let example = node.string.map { Text.visible($0) } ?? "default"
    return reading.elements(
      of: node, label, "an array of names and tables, such as [\"\(example)\"]"
    ) { read($0, label, &$1) }
  }

  private static func read(
    _ node: Node, _ label: Label, _ reading: inout ProfileReading
  ) -> DeviceMatcher? {
    if let word = node.string { return DeviceMatcher(word) }
    guard let entries = node.table else {
      return reading.wrongType(node, label.element, "a name or a table")
    }
    guard !entries.isEmpty else {
      return reading.wrongValue(
        node, label,
        "an empty table in \(label.key) matches nothing; it can have \(Words.list(keys, last: "or"))"
      )
    }
    let parts = entries.compactMap { reading.isFull ? nil : part($0, label, &reading) }
    guard parts.count == entries.count else { return nil }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private static func part(
    _ entry: Node.Entry, _ label: Label, _ reading: inout ProfileReading
  ) -> DeviceMatcher? {
    let node = entry.node
    let label = label.inner(entry.key)
    switch entry.key {
    case "name":
      return node.string.map { DeviceMatcher($0) }
        ?? reading.wrongType(node, label, "a name or a glob")
    case "form-factor":
      return node.string.map(DeviceMatcher.formFactor)
        ?? reading.wrongType(node, label, "a string, such as \"headset\"")
    case "port-type":
      return Vocabulary.portTypes.read(node, label, &reading).map(DeviceMatcher.portType)
    case "property": return properties(node, label, &reading)
    case "all":
      guard let parts = list(node, label, &reading) else { return nil }
      guard !parts.isEmpty else {
        return reading.wrongValue(node, label, "an empty list in \(label.key) matches nothing")
      }
      return .all(parts)
    default:
      return reading.report(
        Text.unknownKey(entry.key, among: keys), at: node.position, property: label.key,
        value: Text.visible(entry.key), code: .unknownKey, as: DeviceMatcher.self)
    }
  }

  private static func properties(
    _ node: Node, _ label: Label, _ reading: inout ProfileReading
  ) -> DeviceMatcher? {
    guard let entries = node.table else {
      return reading.wrongType(
        node, label, "a table of strings with quoted keys, such as { \"device.bus\" = \"usb\" }")
    }
    guard !entries.isEmpty else {
      return reading.wrongValue(node, label, "an empty table in \(label.key) matches nothing")
    }
    var properties: [String: String] = [:]
    for entry in entries {
      guard let value = entry.node.string else {
        // Without quotes TOML parses the parts of `device.bus` as tables.
        let form = "a string; a key with dots needs quotes, such as { \"device.bus\" = \"usb\" }"
        return reading.wrongType(entry.node, label.inner(Text.visible(entry.key)), form)
      }
      properties[entry.key] = value
    }
    return .properties(properties)
  }

  /// A device whose name is `default` is written as a glob: the plain word has another meaning.
  private static func word(_ name: String) -> String {
    TOMLWords.quoted(name == "default" ? "[d]efault" : name)
  }

  /// The matcher in the format of a file.
  static func text(_ matcher: DeviceMatcher) -> String {
    switch matcher {
    case .default: "\"default\""
    case .name(let name): word(name)
    case .all(let parts): TOMLWords.table(all(parts))
    default: TOMLWords.table([pair(matcher)])
    }
  }

  /// One table if the keys are distinct, otherwise the general form.
  private static func all(_ parts: [DeviceMatcher]) -> [(key: String, value: String)] {
    let pairs = parts.map(pair)
    if parts.count > 1, Set(pairs.map(\.key)).count == parts.count { return pairs }
    return [("all", TOMLWords.array(parts.map(text)))]
  }

  private static func pair(_ matcher: DeviceMatcher) -> (key: String, value: String) {
    switch matcher {
    case .default: ("name", "\"default\"")
    case .name(let name): ("name", word(name))
    case .formFactor(let form): ("form-factor", TOMLWords.quoted(form))
    case .portType(let type): ("port-type", TOMLWords.quoted(type.rawValue))
    case .properties(let properties):
      (
        "property",
        TOMLWords.table(
          properties.sorted { $0.key < $1.key }
            .map { (key: $0.key, value: TOMLWords.quoted($0.value)) })
      )
    case .all(let parts): ("all", TOMLWords.array(parts.map(text)))
    }
  }
}
