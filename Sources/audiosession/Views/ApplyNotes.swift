import AudioSession
import PulseTypes

/// Notes for the user on the result of an apply.
enum ApplyNotes {
  /// Preferences that are not met although nothing failed: hints that were not granted, and
  /// features that this version or this machine lacks.
  static func warnings(_ state: SessionState) -> [String] {
    state.notes
      + Property.reported.compactMap { name in
        guard let report = state.properties[name], report.isUnmet, report.waitingFor != .holder,
          report.waitingFor != .stream
        else { return nil }
        let (label, preferred) = (name.row.label, PropertyWords.text(report.preferred, of: name))
        let reason = report.reason.map { ": \($0)" } ?? ""
        let what =
          report.actual.map { "\(label) is \(PropertyWords.text($0, of: name)), not \(preferred)" }
          ?? "\(label) \(preferred) is not in effect"
        return what + reason
      }
  }

  /// What is not maintained after an apply without a holder, as one note.
  static func notes(_ state: SessionState) -> [String] {
    guard state.holder == nil else { return [] }
    var parts: [String] = []
    let granted = Hint.properties.filter { name in
      state.properties[name].map { $0.waitingFor == .holder || $0.verdict == .applied } ?? false
    }
    if !granted.isEmpty {
      let names = granted.map(\.row.label).joined(separator: " and ")
      parts.append("\(names) \(granted.count == 1 ? "is" : "are") no longer held")
    }
    let waiting = Property.reported.filter {
      !Hint.properties.contains($0) && state.properties[$0]?.waitingFor == .holder
    }
    if !waiting.isEmpty {
      let names = Words.list(waiting.map(\.row.label))
      parts.append(
        "what \(names) \(waiting.count == 1 ? "asks" : "ask") for is done only while a process does"
      )
    }
    let links = Set((state.route.inputs + state.route.outputs).flatMap { $0.via })
    let chain = chainNames.filter { !links.isDisjoint(with: $0.devices) }.map { $0.name }
    if !chain.isEmpty {
      let verb = chain.count == 1 ? "is" : "are"
      parts.append(
        "\(Words.list(chain)) \(verb) not rebuilt after a replug or a restart of the server")
    }
    guard !parts.isEmpty else { return [] }
    return [
      "no process maintains the session now: \(parts.joined(separator: ", and ")). "
        + "Add --keep to maintain it"
    ]
  }

  /// The links of a chain in words, and the devices that they consist of.
  private static let chainNames: [(name: String, devices: [String])] = [
    ("the combined output", [Owned.combineName]),
    ("the echo canceller", Direction.allCases.map(Owned.echoName)),
    ("the channel map", Direction.allCases.map(Owned.name)),
  ]

  /// Whether a preference that is not a hint is not met.
  static func hasUnmetPreferences(_ state: SessionState) -> Bool {
    state.properties.contains { name, report in !Hint.properties.contains(name) && report.isUnmet }
  }
}

extension PropertyReport {
  /// Whether there is a preference that is not met.
  var isUnmet: Bool { verdict != .applied && verdict != .unset }
}
