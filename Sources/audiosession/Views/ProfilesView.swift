import AudioSession
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
