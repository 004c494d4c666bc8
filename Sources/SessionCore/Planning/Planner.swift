import PulseTypes

/// Plans the phases in order, predicting each step before the next one is planned.
struct Planner {
  let input: PlanInput
  let resolution: Resolution
  let restore: [Baseline.Entry]
  var server: PredictedServer
  private(set) var claimed: Set<Setting> = []
  var plan = Plan()
  /// The values that are restored later, by the condition for which they wait, in order.
  var kept: [(absence: Absence, entries: [Baseline.Entry])] = []

  init(_ input: PlanInput, _ resolution: Resolution, restore: [Baseline.Entry]) {
    self.input = input
    self.resolution = resolution
    self.restore = restore.sorted { $0.rank < $1.rank }
    server = PredictedServer(input.snapshot)
  }

  var context: PlanContext {
    PlanContext(input: input, server: server, resolution: resolution)
  }

  mutating func run(isTolerant: Bool) throws(SessionError) {
    // Copied again only after a step: a snapshot has many parts.
    var context = context
    var stepCount = 0
    for phase in Phase.allCases {
      for aspect in plannedAspects[phase] ?? [] {
        if plan.steps.count != stepCount { (context, stepCount) = (self.context, plan.steps.count) }
        do throws(SessionError) {
          emit(try aspect.targets(context))
        } catch {
          guard isTolerant else { throw error }
          note(
            error.property.flatMap(Property.init) ?? aspect.property,
            error.code == .refused ? .refused : .unreachable,
            error.description)
        }
      }
      for entry in restore where entry.phase == phase { emit(restoring: entry) }
      removeUnneeded(in: phase)
    }
    listKept()
    let final = self.context
    for (aspect, isSet) in zip(allAspects, aspectIsSet) where isSet(input.mode) {
      guard let unmet = try aspect.unmet(final, steps: plan.steps) else { continue }
      note(unmet.property, unmet.verdict, unmet.reason)
    }
  }

  mutating func emit(_ targets: [Target]) {
    for target in targets where mayChange(target.setting) {
      claim(target.setting)
      guard !target.isLeft, !input.yielded.contains(target.setting) else { continue }
      emit(target)
    }
  }

  private mutating func claim(_ setting: Setting) {
    if claimed.insert(setting).inserted { plan.claims.append(setting) }
  }

  /// Whether a setting may be changed: a session of one program changes nothing that programs
  /// share.
  private func mayChange(_ setting: Setting) -> Bool {
    !input.snapshot.isOfOneProgram || setting.is(.ofOneProgram)
  }

  private mutating func note(_ property: Property, _ verdict: Verdict, _ reason: String) {
    guard !plan.unmet.contains(where: { $0.property == property }) else { return }
    plan.unmet.append(Unmet(property: property, verdict: verdict, reason: reason))
  }

  /// Removes our pins and links that neither the mode nor the baseline needs.
  private mutating func removeUnneeded(in phase: Phase) {
    guard input.isUndoing != true else { return }
    if phase == .channelMap, !input.snapshot.isOfOneProgram {
      for link in Setting.links.reversed() { remove(link) }
    }
    guard phase == .ioBufferDuration else { return }
    for direction in Direction.allCases {
      let pins = server.snapshot.streams(direction, having: Owned.pinLatencyKey)
      let pinned = Set(pins.compactMap(\.device)).sorted { $0.rawValue < $1.rawValue }
      for device in pinned.compactMap({ server.snapshot.device(direction, at: $0) }) {
        remove(.latency(direction, device: device.name), why: "no preference needs the pin")
      }
    }
  }

  private mutating func remove(_ setting: Setting, why: String = "no preference needs it") {
    guard !claimed.contains(setting), !restore.contains(where: { $0.setting == setting }),
      let now = server.value(of: setting), now != .absent
    else { return }
    emit(Target(setting.kind.property(in: server.snapshot), setting, .absent, why: why))
  }

  /// - Parameter isRepeated: whether it is written also where the server has the value already.
  mutating func emit(_ target: Target, isRepeated: Bool = false) {
    let now = server.value(of: target.setting)
    let isMet =
      now == target.value
      || now != nil && target.setting.kind.isMet(target.value, in: server.snapshot)
    guard !isMet || isRepeated else { return }
    // A repeated request would be refused again, for ever; an explicit apply starts without
    // refusals.
    if let refusal = input.refusals[target.setting] {
      note(target.property, .refused, refusal)
      return
    }
    // A stream on a link is killed when the link's master is removed, and a loaded link keeps its
    // master running, which blocks its rate. So the chain is removed first, and restored in its own
    // phase.
    target.setting.kind.bracket(target, from: now, in: &self)
    append(target)
  }

  mutating func append(_ target: Target) {
    plan.steps.append(
      Step(
        phase: target.phase, property: target.property, setting: target.setting,
        from: server.value(of: target.setting), to: target.value,
        isDeferred: target.setting.kind.isDeferred(to: target.value, in: server),
        isPermanent: target.isPermanent, why: target.why))
    server.apply(target.setting, target.value)
  }
}
