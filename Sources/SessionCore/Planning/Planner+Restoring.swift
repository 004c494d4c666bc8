import PulseTypes

extension Planner {
  /// Whether the mode still needs a change of ours from which a setting may have followed.
  func claimsCause(of setting: Setting, in baseline: Baseline) -> Bool {
    baseline.entries.contains { entry in
      entry.isChange && claimed.contains(entry.setting)
        && entry.setting.kind.canChange(setting, in: input.snapshot)
    }
  }

  /// Leaves alone what another program has changed since; an object that does not exist cannot be
  /// restored.
  ///
  /// - Parameter phase: the phase, if it is not the setting's own.
  mutating func emit(restoring entry: Baseline.Entry, in phase: Phase? = nil) {
    if entry.setting.isPort { emitLevels(of: entry.setting.object, in: phase ?? .port) }
    let isPredicted = server.isPredicted(entry.setting.object)
    let isShown = entry.isShown(in: server.snapshot)
    // The level of a port that a step of this plan chooses is only visible afterwards.
    guard !isShown || entry.isShown(in: input.snapshot) else { return }
    let now = isShown ? server.value(of: entry.setting) : nil
    let isFallback = isFallback(entry)
    let value = entry.setting.kind.restorable(entry.before, in: self)
    guard now == nil || now != entry.before && now != value || isFallback else { return }
    // Nothing of the session holds it.
    guard value != nil || !entry.setting.isHint else { return }
    if let now, let ours = entry.ours, !entry.isOurs(now),
      input.snapshot.value(of: entry.setting) == now, !entry.isOursShown(in: input.snapshot),
      !entry.setting.kind.isOwn(ours, in: self)
    {
      let note = "\(entry.setting.title) is \(now), not the \(ours) that was set; left as it is"
      if !plan.left.contains(note) { plan.left.append(note) }
      return
    }
    if !isPredicted, let absence = absence(of: entry) { return keep(entry, absence) }
    guard isShown, now != nil || isPredicted else { return }
    if let value, let obstacle = entry.setting.kind.obstacle(to: value, in: self) {
      plan.left.append(obstacle.reason)
      return
    }
    if let note = choiceNote(entry, now) { plan.left.append(note) }
    guard let value else { return }
    emit(
      Target(
        entry.setting.kind.property(in: server.snapshot), entry.setting, value,
        phase: phase ?? entry.phase,
        why: "restored: its value before the session"), isRepeated: isFallback)
  }

  /// Whether a default may be only what the server fell back to: the device that the session chose last, in
  /// this run or before, is gone, and would become the default again when it returns. The server does not
  /// report its choice.
  private func isFallback(_ entry: Baseline.Entry) -> Bool {
    let run = input.journal[entry.setting]
    guard input.occasion == .asked, let direction = entry.setting.defaultDirection,
      case .name(let choice)? = run?.ours ?? entry.ours ?? run?.before,
      !Owned.isName(choice)
    else { return false }
    return server.snapshot.device(direction, named: choice) == nil
      && (mayHaveFallenBack(direction) || input.snapshot.value(of: entry.setting) == entry.before)
  }

  /// Whether the default may be the server's own fallback.
  func mayHaveFallenBack(_ direction: Direction) -> Bool {
    input.journal[.defaultDevice(direction)] != nil
      || input.snapshot.ranking(direction).chosen == nil
  }

  /// For a default that no user had chosen, as far as the server tells, that it stays chosen: the protocol
  /// has no request to take a choice back.
  private func choiceNote(_ entry: Baseline.Entry, _ now: SettingValue?) -> String? {
    guard input.occasion == .asked, input.mode == AudioMode(), entry.isPicked == true,
      entry.setting.isDefault
    else { return nil }
    let chosen = entry.before == .absent ? now : entry.before
    guard case .name(let name)? = chosen, !Owned.isName(name) else { return nil }
    return "the \(entry.setting.title) stays chosen, as \(name): "
      + "the session cannot take a choice back"
      + (server.snapshot.has(.sessionManager)
        ? "; 'wpctl clear-default' can, for all defaults" : "")
  }

  /// What keeps the value of an entry from being restored by this run; nil if nothing does.
  private func absence(of entry: Baseline.Entry) -> Absence? {
    let absence = input.baseline.absence(of: entry, in: server.snapshot)
    guard case .profile(let profile, let name, _)? = absence, server.changedCards.contains(name)
    else { return absence }
    if let direction = entry.setting.defaultDirection, case .name(let device) = entry.before {
      // A monitor comes with its sink, but is not predicted.
      guard let card = server.snapshot.card(named: name), let active = card.active else {
        return absence
      }
      let isBack = card.has(NamedDevice(direction: direction, name: device), in: active)
      return isBack ? nil : absence
    }
    // The mode's profile removes the device, or this plan's brings it back under a name that was not
    // predicted.
    if claimed.contains(.cardProfile(card: name)) || profile == entry.profile { return nil }
    // What goes with a profile of this plan was restored before.
    return input.snapshot.value(of: entry.setting) == nil ? absence : nil
  }

  /// Defers what cannot be restored now.
  private mutating func keep(_ entry: Baseline.Entry, _ absence: Absence) {
    if let index = kept.firstIndex(where: { $0.absence == absence }) {
      kept[index].entries.append(entry)
    } else {
      kept.append((absence, [entry]))
    }
  }

  /// Lists a setting that was as the mode asks before the session, and that another program has changed.
  private mutating func listChanged(_ entry: Baseline.Entry) {
    guard !entry.isChange, !entry.isConsequence, !entry.setting.isHint,
      entry.isShown(in: input.snapshot),
      let now = input.snapshot.value(of: entry.setting), let ours = entry.ours,
      !entry.isOurs(now), !entry.isOursShown(in: input.snapshot)
    else { return }
    // What a server falls back to was not set by a program.
    if let direction = entry.setting.defaultDirection, case .name(let name) = ours,
      input.snapshot.device(direction, named: name) == nil
    {
      return
    }
    plan.left.append(
      "\(entry.setting.title) is \(now), and was \(ours) before the session; left as it is")
  }

  /// Lists what is restored later, for the user.
  mutating func listKept() {
    guard input.occasion == .asked else { return }
    if input.mode == AudioMode() {
      if let note = input.baseline.newerNote { plan.left.append(note) }
      for entry in input.baseline.valid(for: input.snapshot).entries { listChanged(entry) }
    }
    for (absence, entries) in kept {
      let (place, moment, subject) = (absence.reason, absence.end, absence.subject)
      for setting in entries.map(\.setting) where setting.isDefault {
        plan.left.append(
          "\(place): \(subject.noun) is the \(setting.title) again when \(moment), or by 'revert' "
            + "then")
      }
      // A microphone is unmuted only when that is asked for.
      let (asked, others) = (entries.filter(\.unmutesInput), entries.filter { !$0.unmutesInput })
      for (entries, when) in [
        (others, "when \(moment), or by 'revert' then"), (asked, "by 'revert' when \(moment)"),
      ] {
        let nouns = entries.compactMap { $0.setting.restoredNoun(in: server.snapshot) }
        guard !nouns.isEmpty else { continue }
        plan.left.append(
          "\(place): \(subject.possessive) \(Words.list(nouns)) "
            + "\(nouns.count == 1 ? "is" : "are") restored \(when)")
      }
    }
  }

  /// Restores the levels of the port in use before another port is chosen, because they are not
  /// visible then.
  private mutating func emitLevels(of device: String, in phase: Phase) {
    for entry in restore
    where entry.setting.object == device && entry.port != nil && entry.isShown(in: server.snapshot)
    {
      emit(restoring: entry, in: phase)
    }
  }

  /// Restores what a server remembers of a device before the device goes with its card's profile.
  mutating func emit(restoringAllOf device: String, in phase: Phase) {
    for entry in restore
    where entry.setting.object == device
      && (entry.setting.isPort || entry.setting.isLevel && entry.isShown(in: server.snapshot))
    {
      emit(restoring: entry, in: phase)
    }
  }
}

extension Setting {
  /// The name of a restored value of a device, for users: its key in a profile. Nil for a default,
  /// which is not part of its device.
  func restoredNoun(in snapshot: ServerSnapshot) -> String? {
    let row = kind.property(in: snapshot).row
    guard row.table != nil, !isDefault, !isOfStream else { return isDefault ? nil : propertyName }
    return row.name.split(separator: "-").joined(separator: " ")
  }
}

extension Baseline.Entry {
  fileprivate var unmutesInput: Bool {
    if case .mute(.input, _) = setting { before == .flag(false) } else { false }
  }

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
