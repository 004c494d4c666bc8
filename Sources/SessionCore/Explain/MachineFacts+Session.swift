import PulseTypes

extension MachineFacts {
  /// What the session has to do with a property's value: which profile asks for it, who maintains it,
  /// and when another program changed it.
  func sessionCauses(
    _ property: Property, _ report: PropertyReport, _ snapshot: ServerSnapshot
  ) -> [String] {
    guard let state, state.active, report.preferred != nil else { return [] }
    let profile = state.profile.map { "the session's profile '\($0)'" } ?? "the session"
    let value = report.verdict == .applied ? "this value" : "another value"
    let holder =
      state.holder.map { "\($0.name) (process \($0.pid)) maintains it" }
      ?? "no running process maintains it"
    let absent = Direction.allCases.compactMap { direction in
      property == .device(direction) ? missingDevice(direction, snapshot) : nil
    }.map { "the device that it prefers, \($0), is not there" }
    return ["\(profile) asks for \(value); \(holder)"] + absent + changes(of: property, snapshot)
  }

  /// The first device that the mode prefers, if none that it names is there.
  func missingDevice(_ direction: Direction, _ snapshot: ServerSnapshot) -> DeviceMatcher? {
    let named = (mode?.preferences(direction).prefer ?? []).filter { $0 != .default }
    return named.contains { snapshot.has($0, direction) } ? nil : named.first
  }

  /// The last conflict about a property, and the last time that the holder restored it.
  private func changes(of property: Property, _ snapshot: ServerSnapshot) -> [String] {
    let events = state?.events ?? []
    let settings = baseline.entries.map(\.setting) + Direction.allCases.map(Setting.defaultDevice)
    let names = Set(
      settings.filter { $0.kind.property(in: snapshot) == property }
        .map(\.title))
    let conflict = events.last { event in
      if case .conflict(let what, _) = event.event { names.contains(what) } else { false }
    }
    var causes: [String] = []
    if let conflict, case .conflict(let what, let opponents) = conflict.event {
      let rest =
        state?.conflicts.contains(what) == true
        ? "the session leaves it alone for now" : "the session restores it again"
      let who = opponents.isEmpty ? "" : ". Likely: \(opponents.joined(separator: ", "))"
      causes.append(
        "another program changed it again and again until \(conflict.time); \(rest)\(who)")
    }
    let restored = events.last { event in
      if case .drift(let what) = event.event { what.contains(property) } else { false }
    }
    if conflict == nil, let restored {
      causes.append("it was changed at \(restored.time), and the session restored it")
    }
    return causes
  }
}
