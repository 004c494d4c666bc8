import PulseTypes

extension Plan {
  /// Makes the ordered steps from a snapshot to a mode.
  ///
  /// Pure: no I/O, no clock. Throws `SessionError` with stage `device` if the machine cannot meet
  /// the mode; with `onFailure = .bestEffort` such a preference is listed as unmet instead.
  package static func make(_ input: PlanInput) throws(SessionError) -> Plan {
    if let cards = input.silentCards { return switchOff(cards, input) }
    if input.isOnlyForOthers == true { return try treatOthers(input) }
    let isTolerant = input.mode.onFailure == .bestEffort
    let baseline = input.baseline.valid(for: input.snapshot)
    if input.occasion == .leaving { return leave(input, baseline) }
    let resolution =
      isTolerant
      ? Resolution.tolerant(input)
      : try Resolution(input)
    var survey = Planner(input, resolution, restore: [])
    try survey.run(isTolerant: isTolerant)
    let restore = baseline.entries.filter { entry in
      // Also protects a link that is to stay.
      (entry.isChange || entry.setting.isModule) && !survey.claimed.contains(entry.setting)
        && !(entry.isConsequence && survey.claimsCause(of: entry.setting, in: baseline))
    }
    guard !restore.isEmpty else { return survey.plan.routeFirst(input) }
    var planner = Planner(input, resolution, restore: restore)
    try planner.run(isTolerant: isTolerant)
    return planner.plan.routeFirst(input)
  }

  /// Leaves hints to the next plan while a holder has anything else to set: PipeWire may let the stream
  /// that a hint needs wait for seconds, and neither the route nor a mute waits with it. Its graph takes
  /// a forced rate whatever runs, a chain too.
  private func routeFirst(_ input: PlanInput) -> Plan {
    guard input.occasion == .upkeep || input.occasion == .reset, input.snapshot.has(.earlyReplies)
    else { return self }
    var plan = self
    plan.steps.removeAll { $0.setting.isHint && $0.to != .absent }
    return plan.isEmpty ? self : plan
  }

  /// Switches cards off, after what depends on their devices; what that changed is undone afterwards.
  private static func switchOff(_ cards: Set<String>, _ input: PlanInput) -> Plan {
    var planner = Planner(input, Resolution.tolerant(input), restore: [])
    for card in input.snapshot.cards where cards.contains(card.name) {
      guard let off = card.profiles.first(where: \.hasNoDevices) else { continue }
      planner.emit(
        Target(
          .category, .cardProfile(card: card.name), .name(off.name),
          why: "it delivers nothing since the machine woke up"))
    }
    return planner.plan
  }

  /// Treats other programs' streams; everything else stays.
  private static func treatOthers(_ input: PlanInput) throws(SessionError) -> Plan {
    var planner = Planner(input, Resolution.tolerant(input), restore: [])
    planner.emit(try OptionsAspect().targets(planner.context).filter(\.setting.isOfOthers))
    return planner.plan
  }

  /// Undoes only what needs a holder; everything else stays.
  private static func leave(_ input: PlanInput, _ baseline: Baseline) -> Plan {
    var planner = Planner(
      input, Resolution.tolerant(input),
      restore: baseline.entries.filter { $0.setting.isOfOthers })
    for entry in planner.restore { planner.emit(restoring: entry) }
    return planner.plan
  }
}
