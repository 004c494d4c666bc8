package import PulseTypes

/// Decides what remains to be restored of an earlier mode while no mode is in effect, as devices return:
/// they are plugged in, or their card has their profile again. Time is a parameter.
///
/// The values with which a device returns are the server's choice, not the user's, so they are
/// restored whatever they are. PipeWire's session manager restores its levels a moment after it
/// shows a device: until then they are restored again.
package struct ReturnWatch: Sendable {
  private struct Place: Hashable {
    var setting: Setting
    var port: String?
  }

  private struct Return {
    var time: Duration
    /// The value that it shows until it is restored: a run may fail, and a server may refuse it.
    var value: SettingValue?
  }

  /// Places that were away or not in use, and how they returned.
  private var away: [Place: Return?] = [:]
  /// Levels that a restarted server shows before its session manager has restored them, and since when.
  private var unsettled: [Place: Duration] = [:]

  /// Notes what is away when a mode ends: without a further event there is no look until a device
  /// returns. What is left of a device that is there has just returned.
  package mutating func noteEnd(
    _ baseline: Baseline, in snapshot: ServerSnapshot, at now: Duration
  ) {
    noteAway(baseline, in: snapshot)
    for entry in baseline.entries where baseline.absence(of: entry, in: snapshot) == nil {
      away[Place(setting: entry.setting, port: entry.port)] = Return(time: now)
    }
  }

  /// The server was lost: what it shows after its restart is unsettled again.
  mutating func noteLoss() { unsettled = [:] }

  private mutating func noteAway(_ baseline: Baseline, in snapshot: ServerSnapshot) {
    for entry in baseline.entries where baseline.absence(of: entry, in: snapshot) != nil {
      away[Place(setting: entry.setting, port: entry.port)] = .some(nil)
    }
  }

  /// What remains to be restored; an entry ends when a read shows the previous value, or a value
  /// that a user chose.
  package mutating func unrestored(
    _ baseline: Baseline, in snapshot: ServerSnapshot, at now: Duration
  ) -> Baseline {
    var result = baseline.valid(for: snapshot)
    noteAway(result, in: snapshot)
    result.entries = result.entries.compactMap { entry -> Baseline.Entry? in
      let place = Place(setting: entry.setting, port: entry.port)
      if baseline.absence(of: entry, in: snapshot) != nil { return entry }
      guard let value = snapshot.value(of: entry.setting), entry.isShown(in: snapshot) else {
        return entry
      }
      if away[place] == nil, baseline.serverCookie != snapshot.server.cookie,
        snapshot.has(.lateRestoring), entry.setting.isLevel, value.isInitialLevel
      {
        let since = unsettled[place] ?? now
        unsettled[place] = since
        if now - since < Charges.settling { return entry }
      }
      let isOver = entry.isOver(value, in: snapshot)
      guard let known = away[place], entry.setting.kind.device != nil else {
        return isOver ? nil : entry
      }
      var returned = known ?? Return(time: now, value: value)
      let settles = snapshot.has(.lateRestoring) && entry.setting.isLevel
      let isSettling = settles && now - returned.time < Charges.settling
      if isSettling { returned.value = value }
      away[place] = returned
      let isAsReturned = now == returned.time || value == returned.value
      guard isSettling || value != entry.before && isAsReturned else {
        away[place] = nil
        return isOver ? nil : entry
      }
      var entry = entry
      // Whatever it shows is restored. What the session had set stays known, because a run that is cut
      // short leaves it, and the session manager restores it again.
      if let ours = entry.ours { entry.inFlight = (entry.inFlight ?? []) + [ours] }
      entry.ours = nil
      return entry
    }
    return result
  }

  /// When to look again without a change.
  package func nextEnd(after now: Duration) -> Duration? {
    (away.values.compactMap { $0?.time } + unsettled.values).map { $0 + Charges.settling }
      .filter { $0 > now }.min()
  }
}

extension SettingValue {
  /// Whether a new device on PipeWire shows this level at first.
  fileprivate var isInitialLevel: Bool {
    self == .flag(false) || volume?.values.allSatisfy { $0 == .norm } == true
  }
}
