package import PulseTypes

/// The previous values, from the moment the session takes charge of a setting until it shows that
/// value again.
extension Baseline {
  /// Records the settings that the mode names with their values when the session takes charge of
  /// them, whether or not they need a step: a later change by another program never counts as the
  /// previous value.
  ///
  /// - Parameter journal: what the current run changed before it read the snapshot.
  mutating func takeCharge(
    of claims: [Setting], in snapshot: ServerSnapshot, beside journal: Baseline
  ) {
    let valid = valid(for: snapshot)
    let ended = entries.filter { $0.jacks != nil && !valid.has($0) }
    self = valid
    serverCookie = snapshot.server.cookie
    for setting in claims where setting.is(.outlivesSession) && !Owned.isName(setting.object) {
      let port = snapshot.device(ofLevel: setting)?.activePort
      guard !has(setting, port), !journal.has(setting, port),
        let now = snapshot.value(of: setting)
      else { continue }
      // Right after a jack event the port may still be ours: which one the server chooses is not known.
      let isOurs = ended.contains {
        $0.setting == setting && $0.isOurs(now)
      }
      let entry = Entry(
        setting: setting, before: isOurs ? .absent : now, ours: now, in: snapshot,
        beside: [self, journal])
      if !entry.isOwnDefault { entries.append(entry) }
    }
  }

  /// What is left of it once the session has restored what it could: the values of devices that are
  /// unplugged now or that another profile of their card has removed, of ports that are not in use, the
  /// rates of devices that run, what the server refused to restore, and what returns with a profile
  /// that it refused.
  ///
  /// - Parameters:
  ///   - arrivals: devices that were just added: their levels may be replaced by what PipeWire's session
  ///     manager stored of them, which can be the session's.
  ///   - refused: the settings that the server refused to restore.
  package func pending(
    in snapshot: ServerSnapshot, besides arrivals: Set<String> = [], refused: Set<Setting> = []
  ) -> Baseline {
    var result = valid(for: snapshot)
    result.entries = result.entries.compactMap { entry in
      if snapshot.has(.lateRestoring), entry.setting.isLevel, entry.isChange,
        arrivals.contains(entry.setting.object)
      {
        return entry
      }
      if entry.isBlockedRate(in: snapshot) { return entry }
      if refused.contains(entry.setting), entry.isChange, entry.setting.is(.outlivesSession),
        entry.isShown(in: snapshot), let now = snapshot.value(of: entry.setting), entry.isOurs(now)
      {
        return entry
      }
      // It returns with the profile of its card, which the server refused to restore.
      if let card = entry.card, entry.profile != nil, entry.isChange, !entry.isConsequence,
        refused.contains(.cardProfile(card: card)), snapshot.value(of: entry.setting) == nil
      {
        return entry
      }
      guard absence(of: entry, in: snapshot) != nil, entry.isChange else { return nil }
      guard let direction = entry.setting.defaultDirection else { return entry }
      // A value that the user chose stays, also one chosen before the device returns.
      guard let now = snapshot.value(of: entry.setting) else { return nil }
      if case .name(let ours)? = entry.ours, !entry.isOurs(now),
        snapshot.device(direction, named: ours) != nil
      {
        return nil
      }
      var entry = entry
      // The server makes the device that the session chose the default again when it returns.
      if let ours = entry.ours, entry.inFlight?.contains(ours) != true {
        entry.inFlight = (entry.inFlight ?? []) + [ours]
      }
      entry.ours = now
      return entry
    }
    return result
  }

  /// The remainder of a pending baseline after devices have returned: settings with their previous
  /// values, and settings that the user has changed since, need no restoring.
  package func unrestored(in snapshot: ServerSnapshot) -> Baseline {
    var result = valid(for: snapshot)
    result.entries.removeAll { entry in
      guard let now = snapshot.value(of: entry.setting), entry.isShown(in: snapshot) else {
        return false
      }
      return entry.isOver(now, in: snapshot)
    }
    return result
  }

  /// Whether the store may have the other instead: where a stream was that no step has moved is not worth
  /// a write.
  package func isSameInStore(as other: Baseline) -> Bool {
    func kept(_ baseline: Baseline) -> [Entry] {
      baseline.entries.filter { !$0.setting.isOfStream || $0.isChange }
    }
    return serverCookie == other.serverCookie && kept(self) == kept(other)
  }
}

extension Baseline.Entry {
  /// Whether a value needs no restoring: the one from before, or a person's.
  func isOver(_ now: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    now == before || ours != nil && !isOurs(now) && !isOursShown(in: snapshot)
  }

  /// Whether it is a rate of the session that a running stream keeps from being restored.
  fileprivate func isBlockedRate(in snapshot: ServerSnapshot) -> Bool {
    guard setting.isRate, !snapshot.has(.graphRate), isChange,
      let now = snapshot.value(of: setting), now != before, isOurs(now)
    else { return false }
    return snapshot.device(of: setting).flatMap(snapshot.programs(runningOn:)) != nil
  }
}
