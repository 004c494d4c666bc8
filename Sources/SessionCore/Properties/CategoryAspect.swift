import PulseTypes

extension PropertyRow {
  static let category = PropertyRow(
    .category, { $1(&$0.category) }, "category", .word(),
    meaning: "What the sound is for: the directions that must work.", synonyms: ["profile"],
    aspect: CategoryAspect())
}

/// Category → the card profile that has its directions and the preferred ports.
struct CategoryAspect: Aspect {
  let property = Property.category
  var phase: Phase { .category }
  func isShared(in mode: AudioMode) -> Bool { false }
  let isDerived = true

  func direction(of mode: AudioMode) -> Direction? { nil }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    context.snapshot.cards.compactMap { card in
      guard let profile = context.resolution.profiles[card.name] else { return nil }
      let directions = Direction.allCases.filter {
        context.resolved($0)?.card?.name == card.name
      }
      let names = directions.map { direction in
        let resolved = context.resolved(direction)
        return direction.rawValue + (resolved?.port.map { " '\($0.name)'" } ?? "")
      }
      let setting = Setting.cardProfile(card: card.name)
      return Target(
        property, setting, .name(profile), isPermanent: context.input.isUndecided(setting),
        why: "gives \(Words.list(names))")
    }
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.category.map { .string($0.rawValue) }
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    guard let current = source.current else { return }
    let missing = Direction.allCases.first {
      current.category?.directions.contains($0) == true && source.roots[$0] == nil
    }
    if let missing, let category = current.category {
      setup.left.append("category \(category.rawValue): there is no \(missing.rawValue) for it")
    } else {
      setup.mode.category = current.category
    }
    // Playback on a single output is not this category.
    if setup.mode.category == .multiRoute, source.snapshot.combination == nil {
      setup.mode.category = .playback
    }
    // With an input in the profile the hints would apply to the input.
    if current.hasHints, current.category == nil, current.hintDirection == .output,
      source.roots[.output] != nil
    {
      setup.mode.category = .playback
    }
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    var conditions: [Condition] = []
    for direction in Direction.allCases where context.mode.directions.contains(direction) {
      conditions += Condition.list { () throws(Obstacle) in try works(direction, context) }
    }
    switch context.mode.category {
    case .soloAmbient: return try conditions + OptionsAspect.duckingConditions(context)
    case .multiRoute: return try conditions + CombinedOutputs.conditions(context)
    default: return conditions
    }
  }

  /// What shows that a direction works: the card's profile, and the device, which programs use.
  private func works(
    _ direction: Direction, _ context: PlanContext
  ) throws(Obstacle) -> [Condition] {
    guard let resolved = context.resolved(direction) else {
      return [context.isDefault(direction, try context.awaited(direction).name)]
    }
    var conditions: [Condition] = []
    if let card = resolved.card, let profile = context.resolution.profiles[card.name] {
      conditions.append(
        Condition(.cardProfile(card: card.name), .name(profile)) { now in
          .overridden("\(card.name) is on profile '\(now.shown)', not '\(profile)'")
        })
    }
    conditions.append(
      Condition(.device(direction, name: resolved.name), .name(resolved.name)) { _ in
        Obstacle(.pending, "\(resolved.name) is not there yet", .profile)
      })
    // All programs share the defaults.
    if context.snapshot.isOfOneProgram { return conditions }
    return conditions + [context.isDefault(direction, resolved.name)]
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    guard !snapshot.cards.isEmpty else {
      return result.causes = ["no device has a card, so there is no profile to choose"]
    }
    result.causes = snapshot.cards.map { card in
      let active = card.profileInUse
      let devices = (snapshot.sources + snapshot.sinks).filter {
        $0.card == card.index && !$0.isMonitor
      }
      let made = devices.isEmpty ? "nothing" : Words.list(devices.map(\.name))
      return "\(card.name) is on its profile \(active), which makes \(made)"
    }
  }
}
