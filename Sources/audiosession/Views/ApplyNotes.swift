import AudioSession

/// What a person must know beside the result of an apply.
enum ApplyNotes {
  private static let hints: [Property] = [.sampleRate, .ioBufferDuration]

  /// Preferences that are not met although nothing failed: hints that were not granted, and
  /// features that this version or this machine lacks.
  static func warnings(_ state: SessionState) -> [String] {
    state.notes
      + Property.reported.compactMap { name in
        guard let report = state.properties[name], report.isUnmet, report.waitingFor != .holder,
          report.waitingFor != .stream
        else { return nil }
        let actual = report.actual.map { " is \(PropertyWords.text($0, of: name))" } ?? ""
        let preferred = PropertyWords.text(report.preferred, of: name)
        let reason = report.reason.map { ": \($0)" } ?? ""
        return "\(name.row.label)\(actual), not \(preferred)\(reason)"
      }
  }

  /// Settings that last only until the next change, because no process maintains them.
  static func notes(_ state: SessionState) -> [String] {
    guard state.holder == nil else { return [] }
    var notes: [String] = []
    let granted = hints.filter { name in
      state.properties[name].map { $0.waitingFor == .holder || $0.verdict == .applied } ?? false
    }
    if !granted.isEmpty {
      let names = granted.map(\.row.label).joined(separator: " and ")
      let them = granted.count == 1 ? "it" : "them"
      notes.append(
        "\(names): granted while applying only; no process holds \(them) now: add --keep")
    }
    if (state.route.inputs + state.route.outputs).contains(where: { !$0.via.isEmpty }) {
      notes.append(
        "the channel map is built, and no process looks after it: "
          + "it is not built again after a replug or a restart of the server; add --keep")
    }
    return notes
  }

  /// Whether a preference that is not a hint is not met.
  static func hasUnmetPreferences(_ state: SessionState) -> Bool {
    state.properties.contains { name, report in !hints.contains(name) && report.isUnmet }
  }
}

extension PropertyReport {
  /// Whether there is a preference that is not met.
  var isUnmet: Bool { verdict != .applied && verdict != .unset }
}
