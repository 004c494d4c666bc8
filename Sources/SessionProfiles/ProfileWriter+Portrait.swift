public import SessionCore

extension ProfileWriter {
  /// The text of a profile that is a server's present setup, each line with what it means.
  ///
  /// Its `[match]` names every device there is, so that `watch --auto` chooses it again when they
  /// are there.
  public static func toml(_ portrait: Portrait) -> String {
    var comments: [String: [String]] = [:]
    for (property, meaning) in meanings {
      comments[property.rawValue] =
        [meaning] + (portrait.notes[property].map { ["Now: \($0)."] } ?? [])
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

  /// What each key means, for one who reads a saved profile.
  private static let meanings: [Property: String] = [
    .category: "What the sound is for: the directions that must work.",
    .mode: "The kind of use within the category.",
    .options: "How others are treated, and which devices may be used.",
    .sampleRate: "Hz; not the server's own rate. A hint: unmet it is a warning.",
    .ioBufferDuration: "The IO buffer, for every program on the device. A hint.",
    .reapply: "When it is made so again: always, on-route-change, never.",
    .onFailure: "What one failed step does to the others: rollback, best-effort.",
    .preferredInput: "The input, by what does not change; add others behind it to fall back on.",
    .inputPort: "The connector; without this line the server takes what is plugged in.",
    .channelMap: "The hardware channels that programs hear, in order.",
    .inputGain: "The hardware's gain; 100 % is 0 dB.",
    .gainLock: "A gain that somebody else changes is set again.",
    .inputMuted: "Muted in hardware; only an 'apply' with false unmutes.",
    .inputLatencyOffset: "Added to the latency of the port in use.",
    .preferredOutput: "The output, by what does not change; add others behind it to fall back on.",
    .outputPort: "The connector; without this line the server takes what is plugged in.",
    .outputChannelMap: "The hardware channels that play left, right and so on.",
    .outputVolume: "The hardware's volume; 100 % is 0 dB.",
    .outputMuted: "Muted in hardware.",
    .outputLatencyOffset: "Added to the latency of the port in use.",
  ]
}
