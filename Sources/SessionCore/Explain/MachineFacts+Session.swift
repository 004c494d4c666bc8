import PulseTypes

extension MachineFacts {
  /// What the session has to do with a property's value: which profile asks for it, who maintains it,
  /// and when another program changed it.
  func sessionCauses(
    _ property: Property, _ report: PropertyReport, _ snapshot: ServerSnapshot
  ) -> [String] {
    guard let state, state.active, report.preferred != nil else { return [] }
    let profile = state.profile.map { "the session's profile '\($0)'" } ?? "the session"
    let value =
      report.verdict == .applied
      ? "this value"
      : [nil, report.preferred].contains(report.actual)
        ? "a value that no reading shows now" : "another value"
    let holder =
      state.holder.map { "\($0.title) maintains the session" }
      ?? "no running process maintains it"
    return ["\(profile) asks for \(value); \(holder)"]
      + changes(of: property, report, state, snapshot)
  }

  /// The last conflict about a property, and the last time that the holder restored it.
  private func changes(
    of property: Property, _ report: PropertyReport, _ state: SessionState,
    _ snapshot: ServerSnapshot
  ) -> [String] {
    let settings = baseline.entries.map(\.setting) + Direction.allCases.map(Setting.defaultDevice)
    let names = Set(
      settings.filter { $0.kind.property(in: snapshot) == property }
        .map(\.title))
    let conflict = state.events.last { event in
      if case .conflict(let what, _, _) = event.event { names.contains(what) } else { false }
    }
    var causes: [String] = []
    if let conflict, case .conflict(let what, let opponents, let end) = conflict.event {
      let rest =
        state.conflicts.contains(what)
        ? "the session leaves it alone \(end.map { "until \($0)" } ?? "for now")"
        : "the session restores it again"
      let who = opponents.isEmpty ? "" : ". Likely: \(opponents.joined(separator: ", "))"
      causes.append(
        "another program changed it again and again until \(conflict.time); \(rest)\(who)")
    }
    let drift = state.events.lastIndex { event in
      if case .drift(let what) = event.event { what.contains(property) } else { false }
    }
    guard conflict == nil, report.verdict == .applied, let drift else { return causes }
    // What followed the drift: another one may have been of other properties.
    let next = state.events[(drift + 1)...].first { event in
      switch event.event {
      case .reapplied, .drift, .serverReset: true
      default: false
      }
    }
    if case .reapplied? = next?.event {
      causes.append(
        "it had another value at \(state.events[drift].time), and the session restored this one")
    }
    return causes
  }
}
