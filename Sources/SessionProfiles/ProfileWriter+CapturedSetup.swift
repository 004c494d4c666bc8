package import SessionCore

extension ProfileWriter {
  /// The text of a profile with a server's current setup, with a comment for each line.
  ///
  /// Its `[match]` names every existing device, so that `watch --auto` chooses the profile when
  /// they are present.
  package static func toml(_ setup: CapturedSetup) -> String {
    var comments: [String: [String]] = [:]
    for row in Property.rows {
      let now = setup.notes[row.property].map { ["Now: \($0)."] } ?? []
      comments[row.property.rawValue] = row.meaning.map { [$0] + now }
    }
    let isEmpty = setup.mode == AudioMode()
    comments[""] =
      [isEmpty ? emptyNote : "What is not here is as the server has it by itself, and left alone."]
      + setup.left.map { "Left out: \($0)." }
    comments["match"] = [
      "'watch --auto' may choose this profile when all of these are there.",
      "Take out what need not be.",
    ]
    return toml(
      setup.mode,
      description: setup.summary.isEmpty ? nil : Text.visible(setup.summary, limit: 200),
      match: ProfileMatch(inputs: setup.inputs, outputs: setup.outputs), comments: comments)
  }

  private static let emptyNote = "Everything is as the server has it by itself."
}
