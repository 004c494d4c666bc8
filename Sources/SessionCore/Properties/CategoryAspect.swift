import PulseTypes

extension PropertyRow {
  static let category = PropertyRow(
    .category, \.category, "category", .word(),
    meaning: "What the sound is for: the directions that must work.", synonyms: ["profile"],
    aspect: CategoryAspect(),
    explain: { explanation, snapshot, _ in
      explanation.causes = snapshot.profileCauses
    })
}

/// Category → the card profile that has its directions and the preferred ports.
struct CategoryAspect: Aspect {
  let property = Property.category
  let phase = Phase.category
  let isShared = false

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
      return Target(
        property, .cardProfile(card: card.name), .name(profile),
        why: "gives \(Words.list(names))")
    }
  }

  func report(_ context: PlanContext) -> PropertyReport {
    guard let category = context.mode.category else { return .unset(nil) }
    let preferred = StateValue.string(category.rawValue)
    func unmet(_ verdict: Verdict, _ reason: String, _ waiting: WaitingFor?) -> PropertyReport {
      PropertyReport(
        preferred: preferred, actual: nil, verdict: verdict, reason: reason, waitingFor: waiting)
    }
    for direction in Direction.allCases where context.mode.directions.contains(direction) {
      if let error = context.resolution.waiting[direction] {
        return unmet(.pending, error.message, context.waitingFor(direction))
      }
      guard let resolved = context.resolved(direction) else { continue }
      if let card = resolved.card, let profile = context.resolution.profiles[card.name],
        context.snapshot.card(named: card.name)?.activeProfile != profile
      {
        return unmet(
          .overridden,
          "\(card.name) is no longer on profile '\(profile)': another program changed it", nil
        )
      }
      guard context.device(direction) != nil else {
        return unmet(.pending, "\(resolved.name) is not there yet", .profile)
      }
      // All programs share the defaults.
      if context.snapshot.isOfOneProgram { continue }
      let root = context.snapshot.defaultRoot(direction)?.name
      guard root == resolved.name else {
        return unmet(
          .overridden,
          "the default is \(root ?? "none"), not \(resolved.name): another program changed it",
          nil)
      }
    }
    switch category {
    case .soloAmbient:
      guard let obstacle = OptionsAspect.duckingObstacle(context) else { break }
      return unmet(obstacle.verdict, obstacle.reason, obstacle.waitingFor)
    case .multiRoute:
      guard let obstacle = CombinedOutputs.obstacle(context) else { break }
      return unmet(obstacle.verdict, obstacle.reason, obstacle.waitingFor)
    default: break
    }
    return PropertyReport(preferred: preferred, actual: preferred, verdict: .applied)
  }
}
