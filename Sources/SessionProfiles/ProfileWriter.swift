package import SessionCore

/// Writes modes as profile files.
package enum ProfileWriter {
  /// The text of a profile file that reads back as an equal mode.
  ///
  /// - Parameters:
  ///   - mode: The mode; unset fields are omitted.
  ///   - profile: For the store: the profile of the mode, in a `[session]` table.
  ///   - description: The description in lists.
  ///   - match: When `watch --auto` may choose the profile.
  ///   - extra: For the store: whole numbers of the `[session]` table, such as `generation`.
  ///   - comments: Lines above the line of a property, by the property's name; `match` is that
  ///     table, and the empty name the file as a whole.
  ///
  /// With a profile or extra numbers the text has a `[session]` table, which in a profile is an
  /// unknown key.
  package static func toml(
    _ mode: AudioMode, profile: String? = nil, description: String? = nil,
    match: ProfileMatch = ProfileMatch(), extra: [(String, Int)] = [],
    comments: [String: [String]] = [:]
  ) -> String {
    var sections: [String] = []
    let top = description.map { ["description = \(TOMLWords.quoted($0))"] } ?? []
    sections.append(section(nil, comment(comments[""]) + top + lines(mode, nil, comments)))
    for table in ["input", "output"] {
      sections.append(section(table, lines(mode, table, comments)))
    }
    let matching = lines(match)
    sections.append(
      section("match", matching.isEmpty ? [] : comment(comments["match"]) + matching))
    // TOML has no NUL.
    let name = profile.map { TOMLWords.quoted($0.filter { $0 != "\0" }) }
    let session = name.map { ["profile = \($0)"] } ?? []
    sections.append(
      section("session", session + extra.map { "\(TOMLWords.key($0.0)) = \($0.1)" }))
    return sections.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func lines(
    _ mode: AudioMode, _ table: String?, _ comments: [String: [String]]
  ) -> [String] {
    Property.rows.filter { $0.table == table }.flatMap { row in
      guard let value = row.write(mode) else { return [String]() }
      return comment(comments[row.property.rawValue]) + ["\(row.name) = \(value)"]
    }
  }

  /// The text of a comment may come from a server.
  private static func comment(_ lines: [String]?) -> [String] {
    (lines ?? []).map { "# " + Text.visible($0, limit: 400) }
  }

  private static func lines(_ match: ProfileMatch) -> [String] {
    [("inputs", match.inputs), ("outputs", match.outputs)].compactMap { key, matchers in
      matchers.isEmpty ? nil : "\(key) = \(Notation.devices.write(matchers))"
    }
  }

  private static func section(_ table: String?, _ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    return ((table.map { ["[\($0)]"] } ?? []) + lines).joined(separator: "\n") + "\n"
  }
}
