import PulseTypes

/// A part of the mode that the server should have, and when it is planned.
protocol Planned: Sendable {
  /// The property to which it belongs.
  var property: Property { get }
  /// The phase in which its targets are planned.
  var phase: Phase { get }
  /// The settings for the mode, and their values.
  func targets(_ context: PlanContext) throws(SessionError) -> [Target]
}

/// One property of the session: how mode and server are compared, and when it is changed.
///
/// It names what must be read for the preference to be in effect; the verdict is made from what was
/// read (`report(_:by:)`).
protocol Aspect: Planned {
  /// The preferred value; nil without a preference.
  func preferred(_ context: PlanContext) -> StateValue?
  /// The actual value, of a derived property the part that is in effect; nil if it is unknown.
  func actual(_ context: PlanContext) -> StateValue?
  /// What must be read for the preference to be in effect; throws what prevents it.
  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition]
  /// Adds a server's value to a captured setup.
  func capture(_ setup: inout CapturedSetup, from source: CaptureSource)
  /// Adds the causes of the actual value on a server, for `explain`.
  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts)
  /// Whether a pin holds it; nil if it needs none.
  func isHeld(_ context: PlanContext) -> Bool?
  /// Of a ranking of devices, the first choice if it is not there.
  func absent(_ context: PlanContext) -> String?
  /// The direction of the property's device; nil if it is not a property of a device.
  func direction(of mode: AudioMode) -> Direction?
  /// Whether each device has such a value, and gets it before programs use it (``TakingCharge``).
  var isSetBeforeUse: Bool { get }
  /// Whether a mode's value affects all programs, so that a session of one program leaves it alone.
  func isShared(in mode: AudioMode) -> Bool
  /// Whether the server has no such value: the actual value is the preferred one if its consequences
  /// were read.
  var isDerived: Bool { get }
  /// The preferences that the steps of a plan do not meet; throws if they must be met.
  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet?
}

extension Aspect {
  func targets(_ context: PlanContext) throws(SessionError) -> [Target] { [] }
  func actual(_ context: PlanContext) -> StateValue? { nil }
  func isHeld(_ context: PlanContext) -> Bool? { nil }
  func absent(_ context: PlanContext) -> String? { nil }
  var isSetBeforeUse: Bool { false }
  func isShared(in mode: AudioMode) -> Bool { true }
  var isDerived: Bool { false }

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

/// Every aspect, in the order of the properties.
let allAspects = Property.rows.compactMap(\.aspect)

/// Whether a mode sets the property of each of them.
let aspectIsSet = Property.rows.filter { $0.aspect != nil }.map(\.isSet)

/// The planned parts of each phase in their order: first the links of the chains as in
/// `Setting.links`, then what uses the ends of the chains.
let plannedAspects: [Phase: [any Planned]] = {
  let links: [any Planned] = [
    CombinedOutputs(), ChannelMapAspect(direction: .output), ModeAspect(),
    ChannelMapAspect(direction: .input),
  ]
  // One by one: as a whole, an array is cast by a search through all conformances for each element.
  let others = allAspects.filter { !($0 is ChannelMapAspect || $0 is ModeAspect) }
    .map { $0 as any Planned }
  let all =
    links + Direction.allCases.map { TakingCharge(direction: $0) }
    + Direction.allCases.map { ChainEnd(direction: $0) } + others
  return Dictionary(grouping: all, by: \.phase)
}()
