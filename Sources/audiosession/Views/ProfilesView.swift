import AudioSession
import JSONCoding
import SessionProfiles

/// Profiles for users.
enum ProfilesView {
  /// The list: name and description; for a broken profile the error.
  static func lines(_ profiles: [ProfileListing], width: Int?) -> [Line] {
    guard !profiles.isEmpty else { return [Line("no profiles")] }
    let names = profiles.map { Span($0.name).width }.max() ?? 0
    return profiles.flatMap { profile -> [Line] in
      let name = Span(profile.name, profile.error == nil ? .bold : .red).padded(to: names + 2)
      let text = profile.error?.message ?? profile.description ?? ""
      let source = profile.source == .builtIn ? "" : "  (\(profile.source))"
      return Layout.wrap(text + source, after: name, width: width)
    }
  }

  /// One complete profile; its source is a comment, so that the text is a valid profile.
  static func lines(_ profile: Profile) -> [Line] {
    let base = profile.extends.map { ", with what it extends: \($0)" } ?? ""
    let lines = profile.toml.split(separator: "\n", omittingEmptySubsequences: false)
    return [Line("# \(profile.name): \(profile.source)\(base)", .dim)]
      + lines.map { Line(String($0)) }.dropLast()
  }

  /// A problem of a file, after its position.
  static func lines(_ diagnostic: ProfileDiagnostic, width: Int?) -> [Line] {
    let text = diagnostic.description
    guard let space = text.firstIndex(of: " ") else { return [Line(text)] }
    return Layout.message(
      Span(String(text[...space])), String(text[text.index(after: space)...]), width: width)
  }
}

/// `profiles list --json`.
struct ProfileListJSON: Encodable {
  struct Item: EncodableWithNulls {
    let name: String
    let description: String?
    let source: String
    let error: ErrorBody?
  }

  let schema = 1
  let profiles: [Item]

  init(_ profiles: [ProfileListing]) {
    self.profiles = profiles.map {
      Item(
        name: $0.name, description: $0.description, source: $0.source.description,
        error: $0.error.map(ErrorBody.init))
    }
  }
}

/// `profiles show --json`.
struct ProfileJSON: EncodableWithNulls {
  let schema = 1
  let name: String
  let description: String?
  let source: String
  let extends: String?
  let mode: AudioMode
  let toml: String

  init(_ profile: Profile) {
    name = profile.name
    description = profile.description
    source = profile.source.description
    extends = profile.extends
    mode = profile.mode
    toml = profile.toml
  }
}

extension Profile {
  /// The profile in full, as a file.
  fileprivate var toml: String { ProfileWriter.toml(mode, description: description, match: match) }
}

/// `profiles check --json`.
struct DiagnosticsJSON: Encodable {
  let schema = 1
  let diagnostics: [DiagnosticItem]

  init(_ diagnostics: [ProfileDiagnostic]) {
    self.diagnostics = diagnostics.map { DiagnosticItem($0) }
  }
}

/// A problem of a profile with every key, null if there is no value.
struct DiagnosticItem: Encodable {
  private let diagnostic: ProfileDiagnostic

  init(_ diagnostic: ProfileDiagnostic) { self.diagnostic = diagnostic }

  private enum Key: String, CodingKey {
    case severity, code, message, file, line, column, property, value, alternatives
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(diagnostic.severity, forKey: .severity)
    try values.encode(diagnostic.code, forKey: .code)
    try values.encode(diagnostic.message, forKey: .message)
    try values.encode(diagnostic.file, forKey: .file)
    try values.encode(diagnostic.line, forKey: .line)
    try values.encode(diagnostic.column, forKey: .column)
    try values.encode(diagnostic.property, forKey: .property)
    try values.encode(diagnostic.value, forKey: .value)
    try values.encode(diagnostic.alternatives, forKey: .alternatives)
  }
}
