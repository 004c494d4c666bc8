public import SessionCore

/// The contents of one profile file, without the profile that it extends.
public struct ParsedProfile: Sendable, Hashable {
  /// The profile's name: the file's name without `.toml`.
  public var name: String
  /// The file; nil if the text is from elsewhere.
  public var file: String?
  /// The description in lists.
  public var description: String?
  /// The profile that provides the values this one does not set.
  public var extends: String?
  /// The mode, from this file alone.
  public var mode = AudioMode()
  /// When `watch --auto` may choose the profile.
  public var match: ProfileMatch {
    ProfileMatch(inputs: matchInputs ?? [], outputs: matchOutputs ?? [])
  }
  /// The devices of `[match]`; nil where the file does not name the key.
  var matchInputs: [DeviceMatcher]?
  var matchOutputs: [DeviceMatcher]?
  /// The `[session]` table of a stored mode; nil in a profile.
  package var session: StoredSession?
  /// The position of each property.
  var places: [String: Place] = [:]

  /// The profile's name in messages.
  var shownFile: String { file ?? name }

  /// Converts the core's error about a property: names the file's key and position.
  func diagnostic(_ error: SessionError, _ property: Property?) -> ProfileDiagnostic {
    var message = error.message
    if let property {
      let key = property.row.key
      // The core names properties; a file names keys.
      if message.hasPrefix("\(property) ") {
        message = key + message.dropFirst(property.rawValue.count)
      } else if let range = message.firstRange(of: " in \(property)") {
        message.replaceSubrange(range, with: " in \(key)")
      }
    }
    let place = property.flatMap { places[$0.rawValue] }
    var value = error.value
    if let written = place?.text, let said = error.value,
      (said + written).contains(where: \.isLetter)
    {
      // Quotes `3600 s` and `30 dB` as written, not in the core's unit.
      message = message.replacing(said, with: written, maxReplacements: 1)
      value = written
    }
    return ProfileDiagnostic(
      message, file: shownFile, at: place?.position, property: error.property, value: value,
      code: error.code)
  }
}
