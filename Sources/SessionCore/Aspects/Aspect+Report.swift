import PulseTypes

/// The verdict: what an observer read, what prevents the preference, and what a plan does not meet.
extension Aspect {
  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet? {
    guard let obstacle = obstacle(context), obstacle.kind != .overridden else { return nil }
    // A step of this plan for the property will meet it.
    guard !steps.contains(where: { $0.property == property }) || obstacle.kind == .refused else {
      return nil
    }
    return Unmet(property: property, verdict: obstacle.verdict, reason: obstacle.reason)
  }

  /// What prevents the preference on the predicted server; nil if it is met.
  func obstacle(_ context: PlanContext) -> Obstacle? {
    let place = place(context)
    let conditions = Condition.list { () throws(Obstacle) in
      try self.conditions(place.context)
    }
    return place.context.obstacle(conditions).map { explained($0, place) }
  }

  /// The preferred value, the actual one, and what an observer read.
  func report(_ context: PlanContext, by observer: Observer) -> PropertyReport {
    let place = place(context)
    let actual = actual(place.context)
    guard let preferred = preferred(place.context) else { return .unset(actual) }
    let (held, absent) = (isHeld(place.context), absent(place.context))
    // Without the session manager nothing that was read counts.
    guard !context.input.snapshot.lacksSessionManager else {
      let reason = "WirePlumber is not running, and without it PipeWire connects nothing"
      return .unmet(preferred, actual, Obstacle(.pending, reason, .sessionManager))
    }
    let conditions = Condition.list { () throws(Obstacle) in
      try self.conditions(place.context)
    }
    let judgement = observer.judge(conditions) { setting, isMet in
      context.input.baseline.entries.contains {
        $0.setting == setting && $0.isShown(in: context.snapshot) && $0.ours.map(isMet) == true
      }
    }
    switch judgement {
    case .met(let proof):
      let inEffect = isDerived ? preferred : actual
      return .applied(preferred, inEffect, proof, held: held, absent: absent)
    case .unmet(let obstacle, let readings):
      let explained = refusal(context) ?? explained(obstacle, place)
      return .unmet(preferred, actual, explained, held: held, absent: absent, readings)
    }
  }

  /// The context of the device in use, whose values programs get, with the reason if it is not the
  /// mode's device.
  private func place(_ context: PlanContext) -> (context: PlanContext, detour: String?) {
    direction(of: context.mode).flatMap { context.onDeviceInUse($0) } ?? (context, nil)
  }

  /// What prevents the preference, for the device in use and the session's scope.
  private func explained(
    _ obstacle: Obstacle, _ place: (context: PlanContext, detour: String?)
  ) -> Obstacle {
    // What prevents it in any scope is said as it is.
    let isOutOfScope =
      place.context.snapshot.isOfOneProgram && isShared(in: place.context.mode)
    guard !isOutOfScope || obstacle.kind != .overridden else {
      return Obstacle(
        .unreachable, "scope \"application\" changes nothing that other programs share")
    }
    // Why the other device cannot do it does not matter: the preference is not meant for it.
    return place.detour.map { Obstacle(.overridden, $0) } ?? obstacle
  }

  /// The server's message if it refused one of the aspect's settings.
  func refusal(_ context: PlanContext) -> Obstacle? {
    guard !context.input.refusals.isEmpty else { return nil }
    let refused = ((try? targets(context)) ?? []).first { target in
      context.input.refusals[target.setting] != nil
        && context.snapshot.value(of: target.setting) != target.value
    }
    return refused.flatMap { context.input.refusals[$0.setting] }.map { Obstacle(.refused, $0) }
  }
}
