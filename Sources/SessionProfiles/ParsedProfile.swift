public import SessionCore

/// What one profile file says by itself, before the profile that it extends.
public struct ParsedProfile: Sendable, Hashable {
  /// The profile's name: that of the file, without `.toml`.
  public var name: String
  /// The file; nil where the text is from elsewhere.
  public var file: String?
  /// What people read in lists.
  public var description: String?
  /// The profile that fills in what this one leaves open.
  public var extends: String?
  /// The wish, of this file alone.
  public var mode = AudioMode()
  /// When `watch --auto` may choose the profile.
  public var match = ProfileMatch()
  /// The `[session]` table of a stored wish; nil in a profile.
  public var session: StoredSession?
  /// Where each property is set.
  var places: [String: Place] = [:]

  init(name: String, file: String?) {
    self.name = name
    self.file = file
  }

  /// What messages call the profile.
  var shownFile: String { file ?? name }

  /// What the core says about a property, in the words and at the place of the file.
  func diagnostic(_ error: SessionError, _ property: Property?) -> ProfileDiagnostic {
    var message = error.message
    if let property, let key = Field.of(property)?.key {
      // The core speaks of properties; in a file they are keys.
      if message.hasPrefix("\(property) ") {
        message = key + message.dropFirst(property.rawValue.count)
      } else if let range = message.firstRange(of: " in \(property)") {
        message.replaceSubrange(range, with: " in \(key)")
      }
    }
    let place = property.flatMap { places[$0.rawValue] }
    var value = error.value
    if let written = place?.text, let said = error.value, said.contains(where: \.isLetter) {
      // `3600 s` as it was written, not as it is counted.
      message = message.replacing(said, with: written, maxReplacements: 1)
      value = written
    }
    return ProfileDiagnostic(
      message, file: shownFile, at: place?.position, property: error.property, value: value,
      code: error.code)
  }
}

/// Where a property is set.
struct Place: Sendable, Hashable {
  var position: Position
  /// The value as written, where it is one word or number.
  var text: String?

  init(_ node: Node) {
    position = node.position
    switch node.value {
    case .string, .integer: text = node.text
    default: text = nil
    }
  }
}

/// What the store keeps beside a wish.
public struct StoredSession: Sendable, Hashable {
  /// The profile that the wish came from.
  public var profile: String?
  /// Numbers by key, such as `generation`.
  public var numbers: [String: Int] = [:]

  /// Makes an empty one.
  public init(profile: String? = nil, numbers: [String: Int] = [:]) {
    self.profile = profile
    self.numbers = numbers
  }
}
