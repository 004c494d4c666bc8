import PulseTypes

extension Planner {
  /// Whether the mode still needs a change of ours from which a setting may have followed.
  func claimsCause(of setting: Setting, in baseline: Baseline) -> Bool {
    baseline.entries.contains { entry in
      guard entry.isChange, claimed.contains(entry.setting) else { return false }
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

  /// Leaves alone what another program has changed since; an object that does not exist cannot be
  /// restored.
  ///
  /// - Parameter phase: the phase, if it is not the setting's own.
  mutating func emit(restoring entry: Baseline.Entry, in phase: Phase? = nil) {
    if case .port(_, let device) = entry.setting { emitLevels(of: device) }
    let isPredicted = world.isPredicted(entry.setting.object)
    let isShown = entry.isShown(in: world.snapshot)
    // The level of a port that a step of this plan chooses is only visible afterwards.
    guard !isShown || entry.isShown(in: input.snapshot) else { return }
    let now = isShown ? world.value(of: entry.setting) : nil
    guard now != entry.before else { return }
    if let now, let ours = entry.ours, !entry.isOurs(now),
      input.snapshot.value(of: entry.setting) == now, !isOwn(entry.setting, ours)
    {
      plan.left.append(
        "\(entry.setting.propertyName) of \(entry.setting.object) is \(now), not the \(ours) "
          + "that was set; left as it is")
      return
    }
    if !isPredicted, let absence = world.snapshot.absence(of: entry) { return keep(entry, absence) }
    guard isShown, now != nil || isPredicted else { return }
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
        entry.setting.kind.property(in: world.snapshot), entry.setting, value,
        phase: phase ?? entry.phase,
        why: "restored: its value before the session"))
  }

  /// Defers what cannot be restored now.
  private mutating func keep(_ entry: Baseline.Entry, _ absence: Absence) {
    if let index = kept.firstIndex(where: { $0.absence == absence }) {
      kept[index].settings.append(entry.setting)
    } else {
      kept.append((absence, [entry.setting]))
    }
  }

  /// Lists what is restored later, for the user.
  mutating func listKept() {
    guard input.occasion == .asked else { return }
    for (absence, settings) in kept {
      if case .unplugged(let name) = absence {
        for case .defaultDevice(let direction) in settings {
          plan.left.append(
            "\(name) is unplugged: it is the default \(direction == .input ? "source" : "sink") "
              + "again when it returns, or by 'revert' then")
        }
      }
      let nouns = settings.compactMap(\.restoredNoun)
      guard !nouns.isEmpty else { continue }
      let what = "its \(Words.list(nouns)) \(nouns.count == 1 ? "is" : "are") restored"
      switch absence {
      case .unplugged(let name):
        plan.left.append("\(name) is unplugged: \(what) when it returns, or by 'revert' then")
      case .unused(let port, let device):
        plan.left.append(
          "\(port) of \(device) is not in use: \(what) when it is, or by 'revert' then")
      }
    }
  }

  /// Restores the levels of the port in use before another port is chosen, because they are not
  /// visible then.
  private mutating func emitLevels(of device: String) {
    for entry in restore
    where entry.setting.object == device && entry.port != nil && entry.isShown(in: world.snapshot) {
      emit(restoring: entry, in: .port)
    }
  }

  /// The value to which a setting can be restored; nil if that no longer exists.
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
      // With an unplugged port the server would not choose a preferred device as the default.
      let isWished = resolution.devices[direction]?.name == device
      return port.availability.isUsable || !isWished ? entry.before : nil
    case (.volume(let direction, let device), .volume(let volumes)):
      let map = world.snapshot.device(direction, named: device)?.channelMap
      return map?.count == volumes.values.count ? entry.before : nil
    // Upkeep never unmutes an input.
    case (.mute(.input, _), .flag(false)): return input.isExplicit ? entry.before : nil
    // A link that had lost its master is not restored.
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

  /// Whether a changed value cannot be a user's choice: links belong to the session alone, and if
  /// the session's default is gone, the current one is the server's fallback.
  private func isOwn(_ setting: Setting, _ ours: SettingValue) -> Bool {
    switch (setting, ours) {
    case (.chain, _), (.echoCanceller, _), (.combination, _), (.others, _), (.trigger, _): true
    case (.defaultDevice(let direction), .name(let name)):
      world.snapshot.device(direction, named: name) == nil
    default: false
    }
  }
}

extension Setting {
  /// The name of a restored value of a device, for users; nil for a default, which is not part of
  /// its device.
  fileprivate var restoredNoun: String? {
    if case .defaultDevice = self { return nil }
    if case .volume(.input, _) = self { return "gain" }
    return propertyName
  }
}

extension Baseline.Entry {
  /// A default that was one of our links is restored after the link.
  var phase: Phase {
    isOwnDefault ? .channelMap : setting.phase
  }

  /// Within a phase: first the links in their order, then the default, then the streams.
  var rank: Int {
    if let link = Setting.links.firstIndex(of: setting) { return link }
    if case .stream = setting { return Setting.links.count + 1 }
    return Setting.links.count
  }
}
