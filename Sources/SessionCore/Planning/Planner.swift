import PulseTypes

extension Plan {
  /// Makes the ordered steps from a snapshot to a wish.
  ///
  /// Pure: no I/O, no clock. Throws `SessionError` with stage `device` where the machine cannot meet
  /// the wish; with `onFailure = .bestEffort` such a wish is listed as unmet instead.
  public static func make(_ input: PlanInput) throws(SessionError) -> Plan {
    let isTolerant = input.wish.onFailure == .bestEffort
    let baseline = input.baseline.valid(for: input.snapshot)
    if input.occasion == .leaving { return leave(input, baseline) }
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

  /// What only a holder may leave so is undone; all else stays.
  private static func leave(_ input: PlanInput, _ baseline: Baseline) -> Plan {
    var planner = Planner(
      input, Resolution.tolerant(input),
      restore: baseline.entries.filter { $0.setting.isOfOthers })
    planner.leave()
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
      for aspect in plannedAspects where aspect.phase == phase {
        do throws(SessionError) {
          for target in try aspect.targets(context) where mayChange(target.setting) {
            claimed.insert(target.setting)
            guard !target.isLeft, !input.yielded.contains(target.setting) else { continue }
            emit(target)
          }
        } catch {
          guard isTolerant else { throw error }
          note(
            error.property ?? aspect.property, error.code == .refused ? .refused : .unreachable,
            error.description)
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

  /// Goes back to what was, and plans nothing else.
  mutating func leave() {
    for entry in restore { emit(restoring: entry) }
  }

  /// A session of one program changes nothing that others have, too.
  private func mayChange(_ setting: Setting) -> Bool {
    guard input.snapshot.isOfOneProgram else { return true }
    switch setting {
    case .latency, .stream: return true
    default: return false
    }
  }

  /// Whether the wish still wants a change of ours that a setting can have followed from.
  func claimsCause(of setting: Setting, in baseline: Baseline) -> Bool {
    baseline.entries.contains { entry in
      guard claimed.contains(entry.setting) else { return false }
      switch (entry.setting, setting) {
      case (.cardProfile, .defaultDevice), (.cardProfile, .stream), (.codec, .defaultDevice),
        (.codec, .stream):
        return true
      case (.port(_, let device), .volume(_, let other)),
        (.port(_, let device), .mute(_, let other)):
        return device == other
      case (.codec(let card), .port(let direction, let device)),
        (.codec(let card), .volume(let direction, let device)),
        (.codec(let card), .mute(let direction, let device)),
        (.cardProfile(let card), .port(let direction, let device)),
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
    case (.codec(let card), .name(let codec)):
      // Another profile has other codecs.
      let offered = world.snapshot.card(named: card)?.codecs ?? []
      return offered.contains { $0.name == codec } && !world.isChanged(card: card)
        ? entry.before : nil
    case (.codec, _): return nil
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
    // A link that had lost its master is not worth having again.
    case (.chain, .name), (.echoCanceller, .name), (.combination, .name): return .absent
    case (.combination, .combination(let spec)):
      let isPossible = spec.outputs.allSatisfy { world.snapshot.device(.output, named: $0) != nil }
      return isPossible ? entry.before : .absent
    case (.chain(let direction), .remap(let spec)):
      return world.snapshot.device(direction, named: spec.master) == nil ? .absent : entry.before
    case (.echoCanceller, .echoCanceller(let spec)):
      let isPossible =
        world.snapshot.device(.input, named: spec.input) != nil
        && world.snapshot.device(.output, named: spec.output) != nil
      return isPossible ? entry.before : .absent
    case (.defaultDevice, _), (.stream, _), (.cardProfile, _), (.port, _), (.volume, _): return nil
    default: return entry.before
    }
  }

  /// Whether a change is nobody's choice: a link is ours alone, and where the default that we chose
  /// is gone the present one is the server's fallback.
  private func isOwn(_ setting: Setting, _ ours: SettingValue) -> Bool {
    switch (setting, ours) {
    case (.chain, _), (.echoCanceller, _), (.combination, _), (.others, _), (.trigger, _): true
    case (.defaultDevice(let direction), .name(let name)):
      world.snapshot.device(direction, named: name) == nil
    default: false
    }
  }

  /// Pins and links of ours that no wish and no baseline asks for go.
  private mutating func removeUnwished(in phase: Phase) {
    if phase == .levels, !input.snapshot.isOfOneProgram {
      for setting in Treatment.allCases.map(Setting.others) + [.trigger] where isUnwished(setting) {
        guard world.value(of: setting) != SettingValue.absent else { continue }
        emit(Target("options", setting, .absent, why: "no wish needs it"))
      }
    }
    if phase == .channelMap, !input.snapshot.isOfOneProgram {
      for link in Setting.links.reversed() where isUnwished(link) {
        guard world.value(of: link) != SettingValue.absent else { continue }
        emit(Target(link.stateProperty, link, .absent, why: "no wish needs it"))
      }
    }
    guard phase == .ioBufferDuration else { return }
    for direction in Direction.allCases {
      let pins = world.snapshot.streams(direction, having: Owned.pinLatencyKey)
      let pinned = Set(pins.compactMap(\.device)).sorted { $0.rawValue < $1.rawValue }
      for device in pinned.compactMap({ world.snapshot.device(direction, at: $0) }) {
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

  /// A stream on a link whose master goes away is killed, and a loaded link keeps its master
  /// running, which blocks its rate. So the chain goes first, and comes back in its own phase.
  private mutating func bracket(_ target: Target, _ now: SettingValue?) {
    switch target.setting {
    case .cardProfile(let name), .codec(let name):
      guard let card = world.snapshot.card(named: name) else { return }
      let devices = (world.snapshot.sources + world.snapshot.sinks).filter { $0.card == card.index }
      unload(linksOn: devices, phase: target.phase, "its master may go with the profile")
    case .rate(let direction, let device):
      // PipeWire's graph takes a forced rate whatever runs.
      guard !world.snapshot.hasGraph else { return }
      if direction == .output { endTrigger(target.phase, "a stream that plays blocks the rate") }
      let devices = world.snapshot.device(direction, named: device).map { [$0] } ?? []
      unload(linksOn: devices, phase: target.phase, "it keeps its master running at its rate")
    case .others(let treatment):
      endTrigger(target.phase, "it acts when its trigger comes")
      for other in Treatment.allCases where other != treatment && target.value != .absent {
        guard world.value(of: .others(other)) != SettingValue.absent else { continue }
        append(
          Target("options", .others(other), .absent, phase: target.phase, why: "one at a time"))
      }
    case .chain, .echoCanceller, .combination:
      unload(linksOn: world.snapshot.devices(of: target.setting), phase: target.phase, target.why)
      if target.value == .absent {
        release(target.setting, phase: target.phase, target.why)
      } else if now != SettingValue.absent {
        unload(target.setting, phase: target.phase, "another one takes its place")
      }
    default: break
    }
  }

  private mutating func endTrigger(_ phase: Phase, _ why: String) {
    guard world.value(of: .trigger) == .flag(true) else { return }
    append(Target("options", .trigger, .absent, phase: phase, why: why))
  }

  /// Unloads what stands on devices, the farthest from them first.
  private mutating func unload(linksOn devices: [Device], phase: Phase, _ why: String) {
    for link in Setting.links.reversed() {
      let stands = world.snapshot.devices(of: link).contains { owned in
        devices.contains { device in
          device.direction == owned.direction && device.name != owned.name
            && world.snapshot.stands(owned, on: device)
        }
      }
      if stands { unload(link, phase: phase, why) }
    }
  }

  private mutating func unload(_ link: Setting, phase: Phase, _ why: String) {
    unload(linksOn: world.snapshot.devices(of: link), phase: phase, why)
    release(link, phase: phase, why)
    append(Target(link.stateProperty, link, .absent, phase: phase, why: why))
  }

  /// What must be so before a link may go: the default on the hardware, and a mute that somebody set
  /// on the link copied to the hardware, lest a microphone opens.
  private mutating func release(_ link: Setting, phase: Phase, _ why: String) {
    for owned in world.snapshot.devices(of: link) {
      let direction = owned.direction
      let root = world.snapshot.root(of: owned)?.name ?? resolution.devices[direction]?.name
      guard let root, let device = world.snapshot.device(direction, named: root) else { continue }
      if owned.isMuted, !device.isMuted {
        append(
          Target(
            direction == .input ? "inputMuted" : "outputMuted", .mute(direction, device: root),
            .flag(true), phase: phase, isPermanent: true,
            why: "\(owned.name) is muted, and its mute would go with it"))
      }
      // With an unplugged port the hardware cannot be the default; the server then chooses another.
      guard world.snapshot.server.defaultName(direction) == owned.name, device.canBeDefault else {
        continue
      }
      append(
        Target(
          direction == .input ? "preferredInput" : "preferredOutput", .defaultDevice(direction),
          .name(root), phase: phase, why: "before \(owned.name) goes: \(why)"))
    }
  }
}

extension Baseline.Entry {
  /// A default that was a link of ours comes back after it.
  fileprivate var phase: Phase {
    isOwnDefault ? .channelMap : setting.phase
  }

  /// Within a phase: the links as they are built, then the default, then the streams.
  fileprivate var rank: Int {
    if let link = Setting.links.firstIndex(of: setting) { return link }
    if case .stream = setting { return Setting.links.count + 1 }
    return Setting.links.count
  }
}

extension Setting {
  /// The property of the state under which a restore is listed.
  var stateProperty: String {
    switch self {
    case .cardProfile: "category"
    case .codec: "outputCodec"
    case .rate: "sampleRate"
    case .latency: "ioBufferDuration"
    case .defaultDevice(let direction), .stream(let direction, _):
      direction == .input ? "preferredInput" : "preferredOutput"
    case .port(let direction, _): direction == .input ? "inputPort" : "outputPort"
    case .chain(let direction): direction == .input ? "channelMap" : "outputChannelMap"
    case .combination: "category"
    case .echoCanceller: "mode"
    case .others, .trigger, .othersMute, .othersVolume: "options"
    case .volume(let direction, _): direction == .input ? "inputGain" : "outputVolume"
    case .mute(let direction, _): direction == .input ? "inputMuted" : "outputMuted"
    case .latencyOffset: "inputLatencyOffset"
    }
  }
}
