public import SessionCore

/// The result of an apply or a revert.
public struct ApplyReport: Sendable, Codable {
  /// The planned steps in order, each with its outcome.
  public var steps: [StepResult]
  /// The state afterwards, read back from the server.
  public var state: SessionState
  /// The preferences that could not be met, with reasons.
  public var unmet: [Unmet]
  /// What was not restored: settings that another program has changed, what is unplugged or away with the
  /// profile of its card, what the server refused to restore, and that a default which the server had
  /// picked by itself stays chosen. Also that the values from before are not known, and what was forgotten
  /// on request.
  public var left: [String]
  /// Whether the settings are restored, and that the mode has ended could not be stored: the next holder would
  /// apply it again. Nil, too, in the answer of a holder of an earlier version.
  package var isUnrecorded: Bool?
  /// Why nothing could be restored: the values from before were damaged. In `left`, too.
  package var lost: String?
  /// What was forgotten. In `left`, too.
  package var forgotten: [String]?

  /// Takes over from the report of a mode that ended before whether that could not be stored.
  mutating func noteUnrecorded(_ ended: ApplyReport) {
    guard ended.isUnrecorded == true else { return }
    isUnrecorded = true
    state.notes += ended.state.notes.filter { !state.notes.contains($0) }
  }

  /// Throws if that is so.
  package func checkRecorded() throws(SessionError) {
    guard isUnrecorded == true else { return }
    throw SessionError(
      .storeFailed, stage: .session, state.notes.last ?? "restored, but not recorded")
  }
}
