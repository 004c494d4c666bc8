import AudioSession
import SessionProfiles

enum ProfilesView {
  /// The columns that a text beside a name needs at least.
  private static let leastRoom = 16

  /// The list: name and description; for a broken profile the error. On a narrow screen they are
  /// below the name.
  static func lines(_ profiles: [ProfileListing], width: Int?) -> [Line] {
    guard !profiles.isEmpty else { return [Line("no profiles")] }
    let names = profiles.map { Span($0.name).width }.max() ?? 0
    let isNarrow = width.map { names + 2 + leastRoom > $0 } ?? false
    return profiles.flatMap { profile -> [Line] in
      let style = profile.error == nil ? Style.bold : .red
      let text = profile.error?.message ?? profile.description ?? ""
      let source = profile.source == .builtIn ? "" : "  (\(profile.source))"
      guard isNarrow else {
        let name = Span(profile.name, style).padded(to: names + 2)
        return Layout.wrap(text + source, after: name, width: width)
      }
      return Layout.wrap(profile.name, indent: 0, width: width, style: style)
        + Layout.wrap(text + source, indent: 4, width: width)
    }
  }

  /// One complete profile; its source is a comment, so that the text is a valid profile.
  static func lines(_ profile: Profile, dropIns: [String] = []) -> [Line] {
    var base = profile.extends.map { ", with what it extends: \($0)" } ?? ""
    if !dropIns.isEmpty { base += ", changed by \(Words.list(dropIns))" }
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
