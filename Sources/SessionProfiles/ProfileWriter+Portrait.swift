public import SessionCore

extension ProfileWriter {
  /// The text of a profile that is a server's present setup, each line with what it means.
  ///
  /// Its `[match]` names every device there is, so that `watch --auto` chooses it again when they
  /// are there.
  public static func toml(_ portrait: Portrait) -> String {
    var comments: [String: [String]] = [:]
    for row in Property.rows {
      let now = portrait.notes[row.property].map { ["Now: \($0)."] } ?? []
      comments[row.property.rawValue] = row.meaning.map { [$0] + now }
    }
    let isEmpty = portrait.mode == AudioMode()
    comments[""] =
      [isEmpty ? emptyNote : "What is not here is as the server has it by itself, and left alone."]
      + portrait.left.map { "Left out: \($0)." }
    comments["match"] = [
      "'watch --auto' may choose this profile when all of these are there.",
      "Take out what need not be.",
    ]
    return toml(
      portrait.mode,
      description: portrait.summary.isEmpty ? nil : Text.visible(portrait.summary, limit: 200),
      match: ProfileMatch(inputs: portrait.inputs, outputs: portrait.outputs), comments: comments)
  }

  private static let emptyNote = "Everything is as the server has it by itself."
}
