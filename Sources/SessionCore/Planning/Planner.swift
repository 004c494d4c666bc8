import PulseTypes

extension Plan {
  /// Makes the ordered steps from a snapshot to a wish.
  ///
  /// Pure: no I/O, no clock. Throws `SessionError` with stage `device` where the machine cannot meet
  /// the wish; with `onFailure = .bestEffort` such a wish is listed as unmet instead.
  public static func make(_ input: PlanInput) throws(SessionError) -> Plan {
    let isTolerant = input.wish.onFailure == .bestEffort
    let baseline = input.baseline.valid(for: input.snapshot)
    let resolution =
      isTolerant
      ? Resolution.tolerant(input)
      : try Resolution(input)
    var survey = Planner(input, resolution, restore: [])
    try survey.run(isTolerant: isTolerant)
    let restore = baseline.entries.filter { entry in
      !survey.claimed.contains(entry.setting)
        && !(entry.isConsequence && survey.claimsCause(of: entry.setting, in: baseline))
    }
    guard !restore.isEmpty else { return survey.plan }
    var planner = Planner(input, resolution, restore: restore)
    try planner.run(isTolerant: isTolerant)
    return planner.plan
  }
}

/// Walks the phases, taking each step as done before the next is planned.
private struct Planner {
  private let input: PlanInput
  private let resolution: Resolution
  private let restore: [Baseline.Entry]
  private var world: World
  private(set) var claimed: Set<Setting> = []
  private(set) var plan = Plan()

  init(_ input: PlanInput, _ resolution: Resolution, restore: [Baseline.Entry]) {
    self.input = input
    self.resolution = resolution
    self.restore = restore.sorted { $0.rank < $1.rank }
    world = World(input.snapshot)
  }

  private var context: PlanContext {
    PlanContext(input: input, world: world, resolution: resolution)
  }

  mutating func run(isTolerant: Bool) throws(SessionError) {
    for phase in Phase.allCases {
      for aspect in allAspects where aspect.phase == phase {
        do throws(SessionError) {
          for target in try aspect.targets(context) {
            claimed.insert(target.setting)
            guard !target.isLeft, !input.yielded.contains(target.setting) else { continue }
            emit(target)
          }
        } catch {
          guard isTolerant else { throw error }
          note(error.property ?? aspect.property, .unreachable, error.description)
        }
      }
      for entry in restore where entry.phase == phase { emit(restoring: entry) }
      removeUnwished(in: phase)
    }
    let final = context
    for aspect in allAspects {
      guard let unmet = try aspect.unmet(final, steps: plan.steps) else { continue }
      note(unmet.property, unmet.verdict, unmet.reason)
    }
  }

  /// Whether the wish still wants a change of ours that a setting can have followed from.
  func claimsCause(of setting: Setting, in baseline: Baseline) -> Bool {
    baseline.entries.contains { entry in
      guard claimed.contains(entry.setting) else { return false }
      switch (entry.setting, setting) {
      case (.cardProfile, .defaultDevice), (.cardProfile, .stream): return true
      case (.port(_, let device), .volume(_, let other)),
        (.port(_, let device), .mute(_, let other)):
        return device == other
      case (.cardProfile(let card), .port(let direction, let device)),
        (.cardProfile(let card), .volume(let direction, let device)),
        (.cardProfile(let card), .mute(let direction, let device)):
        return input.snapshot.device(direction, named: device)
          .flatMap { input.snapshot.card(of: $0) }?.name == card
      default: return false
      }
    }
  }

  private mutating func note(_ property: String, _ verdict: Verdict, _ reason: String) {
    guard !plan.unmet.contains(where: { $0.property == property }) else { return }
    plan.unmet.append(Unmet(property: property, verdict: verdict, reason: reason))
  }

  /// What somebody changed since is left as it is; what does not exist cannot be restored.
  private mutating func emit(restoring entry: Baseline.Entry) {
    let now = world.value(of: entry.setting)
    guard now != nil || world.isPredicted(entry.setting.object), now != entry.before else { return }
    if let now, let ours = entry.ours, !entry.isOurs(now),
      input.snapshot.value(of: entry.setting) == now, !isOwn(entry.setting, ours)
    {
      plan.left.append(
        "\(entry.setting.propertyName) of \(entry.setting.object) is \(now), not the \(ours) "
          + "that was set; left as it is")
      return
    }
    if case .rate(let direction, let name) = entry.setting, case .rate(let rate) = entry.before,
      let device = world.snapshot.device(direction, named: name),
      let obstacle = SampleRateAspect().obstacle(context, device, rate)
    {
      plan.left.append(obstacle.reason)
      return
    }
    guard let value = restorable(entry) else { return }
    emit(
      Target(
        entry.setting.stateProperty, entry.setting, value, phase: entry.phase,
        why: "as it was before the session"))
  }

  /// What a setting can be set back to; nil where there is no such thing any more.
  private func restorable(_ entry: Baseline.Entry) -> SettingValue? {
    switch (entry.setting, entry.before) {
    case (.defaultDevice(let direction), .name(let name)):
      let device = world.snapshot.device(direction, named: name)
      return device?.canBeDefault == true ? entry.before : nil
    case (.stream(let direction, _), .name(let name)):
      return world.snapshot.device(direction, named: name) == nil ? nil : entry.before
    case (.cardProfile(let card), .name(let profile)):
      return world.snapshot.card(named: card)?.profile(named: profile) == nil ? nil : entry.before
    case (.port(let direction, let device), .name(let port)):
      let port = world.snapshot.device(direction, named: device)?.ports.first { $0.name == port }
      guard let port else { return nil }
      // An unplugged port would take a wished device out of the server's choice of a default.
      let isWished = resolution.devices[direction]?.name == device
      return port.availability.isUsable || !isWished ? entry.before : nil
    case (.volume(let direction, let device), .volume(let volumes)):
      let map = world.snapshot.device(direction, named: device)?.channelMap
      return map?.count == volumes.values.count ? entry.before : nil
    // No upkeep ever unmutes an input.
    case (.mute(.input, _), .flag(false)): return input.isExplicit ? entry.before : nil
    // A remap that had lost its master is not worth having again.
    case (.chain, .name): return .absent
    case (.chain(let direction), .remap(let spec)):
      return world.snapshot.device(direction, named: spec.master) == nil ? .absent : entry.before
    case (.defaultDevice, _), (.stream, _), (.cardProfile, _), (.port, _), (.volume, _): return nil
    default: return entry.before
    }
  }

  /// Whether a change is nobody's choice: a remap is ours alone, and where the default that we chose
  /// is gone the present one is the server's fallback.
  private func isOwn(_ setting: Setting, _ ours: SettingValue) -> Bool {
    switch (setting, ours) {
    case (.chain, _): true
    case (.defaultDevice(let direction), .name(let name)):
      world.snapshot.device(direction, named: name) == nil
    default: false
    }
  }

  /// Pins and remaps of ours that no wish and no baseline asks for go.
  private mutating func removeUnwished(in phase: Phase) {
    for direction in Direction.allCases {
      if phase == .channelMap, isUnwished(.chain(direction)),
        world.value(of: .chain(direction)) != SettingValue.absent
      {
        emit(
          Target(
            direction == .input ? "channelMap" : "outputChannelMap", .chain(direction), .absent,
            why: "no wish needs the remap"))
      }
      guard phase == .ioBufferDuration else { continue }
      for device in world.snapshot.devices(direction) {
        let setting = Setting.latency(direction, device: device.name)
        guard isUnwished(setting), let now = world.value(of: setting), now != .absent else {
          continue
        }
        emit(Target("ioBufferDuration", setting, .absent, why: "no wish needs the pin"))
      }
    }
  }

  private func isUnwished(_ setting: Setting) -> Bool {
    !claimed.contains(setting) && !restore.contains { $0.setting == setting }
  }

  private mutating func emit(_ target: Target) {
    let now = world.value(of: target.setting)
    guard now != target.value else { return }
    // Asked again it would be refused again, for ever; an explicit apply begins without refusals.
    if let refusal = input.refusals[target.setting] {
      note(target.property, .refused, refusal)
      return
    }
    bracket(target, now)
    append(target)
  }

  private mutating func append(_ target: Target) {
    plan.steps.append(
      Step(
        phase: target.phase, property: target.property, setting: target.setting,
        from: world.value(of: target.setting), to: target.value,
        isDeferred: world.isDeferred(target.setting, to: target.value),
        isPermanent: target.isPermanent, why: target.why))
    world.apply(target.setting, target.value)
  }

  // MARK: Bracketing

  /// A stream on a remap whose master goes away is killed, and a loaded remap keeps its master
  /// running, which blocks its rate. So the remap goes first, and comes back in its own phase.
  private mutating func bracket(_ target: Target, _ now: SettingValue?) {
    switch target.setting {
    case .cardProfile(let name):
      guard let card = world.snapshot.card(named: name) else { return }
      for direction in Direction.allCases {
        guard let remap = world.snapshot.remap(direction),
          world.snapshot.device(direction, named: remap.master)?.card == card.index
        else { continue }
        unload(direction, phase: target.phase, "its master may go with the profile")
      }
    case .rate(let direction, let device):
      // PipeWire's graph takes a forced rate whatever runs.
      guard world.snapshot.remap(direction)?.master == device, !world.snapshot.hasGraph
      else { return }
      unload(direction, phase: target.phase, "a remap keeps its master running at its rate")
    case .chain(let direction):
      if target.value == .absent {
        release(direction, phase: target.phase, target.why)
      } else if now != SettingValue.absent {
        unload(direction, phase: target.phase, "another one takes its place")
      }
    default: break
    }
  }

  private mutating func unload(_ direction: Direction, phase: Phase, _ why: String) {
    release(direction, phase: phase, why)
    append(
      Target(
        direction == .input ? "channelMap" : "outputChannelMap", .chain(direction), .absent,
        phase: phase, why: why))
  }

  /// What must be so before our remap may go: the default on the hardware, and a mute that somebody
  /// set on the remap copied to the hardware, lest a microphone opens.
  private mutating func release(_ direction: Direction, phase: Phase, _ why: String) {
    guard let owned = world.snapshot.ownedDevices(direction).first else { return }
    let master = world.snapshot.remap(direction)?.master ?? resolution.devices[direction]?.name
    guard let master, let device = world.snapshot.device(direction, named: master) else { return }
    let name = direction == .input ? "inputMuted" : "outputMuted"
    if owned.isMuted, !device.isMuted {
      append(
        Target(
          name, .mute(direction, device: master), .flag(true), phase: phase, isPermanent: true,
          why: "the remap is muted, and its mute would go with it"))
    }
    // With an unplugged port the hardware cannot be the default; the server then chooses another.
    guard world.snapshot.server.defaultName(direction) == owned.name, device.canBeDefault else {
      return
    }
    append(
      Target(
        direction == .input ? "preferredInput" : "preferredOutput", .defaultDevice(direction),
        .name(master), phase: phase, why: "before the remap goes: \(why)"))
  }
}

extension Baseline.Entry {
  /// A default that was our remap comes back after it.
  fileprivate var phase: Phase {
    guard case .defaultDevice(let direction) = setting, before == .name(Owned.name(direction))
    else { return setting.phase }
    return .channelMap
  }

  /// Within a phase: the remap, then the default, then the streams.
  fileprivate var rank: Int {
    switch setting {
    case .chain: 0
    case .stream: 2
    default: 1
    }
  }
}

extension Setting {
  /// The property of the state under which a restore is listed.
  var stateProperty: String {
    switch self {
    case .cardProfile: "category"
    case .rate: "sampleRate"
    case .latency: "ioBufferDuration"
    case .defaultDevice(let direction), .stream(let direction, _):
      direction == .input ? "preferredInput" : "preferredOutput"
    case .port(let direction, _): direction == .input ? "inputPort" : "outputPort"
    case .chain(let direction): direction == .input ? "channelMap" : "outputChannelMap"
    case .volume(let direction, _): direction == .input ? "inputGain" : "outputVolume"
    case .mute(let direction, _): direction == .input ? "inputMuted" : "outputMuted"
    case .latencyOffset: "inputLatencyOffset"
    }
  }
}
