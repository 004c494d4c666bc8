import SessionCore

/// Reads one profile file, without what it extends, and finds all of its problems.
struct ProfileReader {
  /// The supported version of the format; a file with a newer one is refused.
  static let schema = 1

  private(set) var profile: ParsedProfile
  private var reading = ProfileReading()
  /// The problems of combinations of values.
  private var problems: [ProfileDiagnostic] = []
  private let allowsSession: Bool

  /// Reads a text; its problems are in `diagnostics`, in the order of the file.
  ///
  /// - Parameter isPart: whether the text is not a whole profile, and may lack values.
  init(
    _ text: String, name: String, file: String?, allowsSession: Bool = false, isPart: Bool = false
  ) {
    profile = ParsedProfile(name: name, file: file)
    self.allowsSession = allowsSession
    do {
      top(try TOMLText.root(text))
    } catch {
      reading.report(error.message, at: error.position)
    }
    // A profile that extends another is checked when it is complete.
    guard profile.extends == nil, !isPart else { return }
    for (error, property) in profile.mode.problems(assuming: failed) {
      problems.append(profile.diagnostic(error, property))
    }
  }

  var diagnostics: [ProfileDiagnostic] {
    let mistakes = reading.mistakes.map { ProfileDiagnostic($0, file: profile.shownFile) }
    return (mistakes + problems).prefix(ProfileReading.limit).sorted {
      ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0)
    }
  }

  /// Properties with an invalid value in the file.
  private var failed: Set<Property> {
    Set(reading.mistakes.compactMap { $0.property.flatMap(Property.init) })
  }

  private mutating func top(_ root: Node) {
    for entry in root.table ?? [] where !reading.isFull {
      let label = Label(key: entry.key, property: entry.key)
      switch entry.key {
      case "schema": schema(entry.node, label)
      case "description": profile.description = Notation.text.read(entry.node, label, &reading)
      case "extends": extends(entry.node, label)
      case "input", "output", "match": table(entry)
      case "session" where allowsSession: session(entry.node)
      default: field(entry, in: nil)
      }
    }
  }

  private mutating func schema(_ node: Node, _ label: Label) {
    guard let schema = Notation.integer(example: 1).read(node, label, &reading) else {
      return
    }
    guard schema != ProfileReader.schema else { return }
    let known = ProfileReader.schema
    let message =
      schema > known
      ? "schema \(schema) is newer than this version reads (\(known)); a newer audiosession can"
      : "schema \(schema) does not exist; the first is 1"
    reading.report(message, at: node.position, property: "schema", value: "\(schema)")
  }

  private mutating func extends(_ node: Node, _ label: Label) {
    profile.places["extends"] = Place(node)
    guard let base = Notation.text.read(node, label, &reading) else { return }
    guard !base.isEmpty else {
      reading.report("extends needs the name of a profile", at: node.position, property: "extends")
      return
    }
    profile.extends = base
  }

  private mutating func table(_ entry: Node.Entry) {
    guard let entries = entry.node.table else {
      let form = "a table: a line [\(entry.key)] with its keys below"
      let _: Never? = reading.wrongType(
        entry.node, Label(key: entry.key, property: entry.key), form)
      return
    }
    for inner in entries where !reading.isFull {
      if entry.key == "match" { match(inner) } else { field(inner, in: entry.key) }
    }
  }

  private mutating func field(_ entry: Node.Entry, in table: String?) {
    guard let row = Property.rows.first(where: { $0.table == table && $0.name == entry.key }) else {
      reading.report(
        Keys.unknown(entry.key, in: table), at: entry.node.position,
        property: Text.visible(table.map { "\($0).\(entry.key)" } ?? entry.key),
        value: Text.visible(entry.key), code: .unknownKey)
      return
    }
    profile.places[row.property.rawValue] = Place(entry.node)
    row.read(entry.node, &profile.mode, &reading)
  }

  private mutating func match(_ entry: Node.Entry) {
    let label = Label(key: "match.\(entry.key)", property: "match.\(entry.key)")
    switch entry.key {
    case "inputs":
      profile.matchInputs = devices(entry.node, label)
    case "outputs":
      profile.matchOutputs = devices(entry.node, label)
    default:
      reading.report(
        Keys.unknown(entry.key, in: "match"), at: entry.node.position,
        property: "match.\(Text.visible(entry.key))", value: Text.visible(entry.key),
        code: .unknownKey)
    }
  }

  private mutating func devices(_ node: Node, _ label: Label) -> [DeviceMatcher] {
    let devices = Notation.devices.read(node, label, &reading) ?? []
    do throws(SessionError) {
      for device in devices { try Check.matcher(device, label.property) }
    } catch {
      reading.report(
        error.message, at: node.position, property: label.property, value: error.value,
        as: Never.self)
    }
    return devices
  }

  private mutating func session(_ node: Node) {
    var session = StoredSession()
    for entry in node.table ?? [] {
      let label = Label(key: "session.\(entry.key)", property: "session.\(entry.key)")
      if entry.key == "profile" {
        // Not the text of a person: a file's name can have any character.
        session.profile =
          entry.node.string ?? reading.wrongType(entry.node, label, "a string")
      } else {
        session.numbers[entry.key] =
          Notation.integer(example: 1).read(entry.node, label, &reading)
      }
    }
    profile.session = session
  }
}
