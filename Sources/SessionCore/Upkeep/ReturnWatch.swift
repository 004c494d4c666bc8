package import PulseTypes

/// Decides what remains to be restored of an earlier mode while no mode is in effect, as unplugged
/// devices return. Time is a parameter.
///
/// The values with which a device returns are the server's choice, not the user's, so they are
/// restored whatever they are. PipeWire's session manager restores its levels a moment after it
/// shows a device: until then they are restored again.
package struct ReturnWatch: Sendable {
  private struct Place: Hashable {
    var setting: Setting
    var port: String?
  }

  /// Places that were unplugged or not in use, and when they returned.
  private var away: [Place: Duration?] = [:]

  /// Makes a watch without history.
  package init() {}

  /// Notes what is unplugged when a mode ends: without a further event there is no look until a device
  /// returns.
  package mutating func noteAway(_ baseline: Baseline, in snapshot: ServerSnapshot) {
    for entry in baseline.entries where snapshot.absence(of: entry) != nil {
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
      if snapshot.absence(of: entry) != nil { return entry }
      guard let value = snapshot.value(of: entry.setting), entry.isShown(in: snapshot) else {
        return entry
      }
      let isOver = value == entry.before || entry.ours != nil && !entry.isOurs(value)
      guard let since = away[place], entry.setting.kind.device != nil else {
        return isOver ? nil : entry
      }
      let returned = since ?? now
      away[place] = returned
      let settles = snapshot.has(.lateRestoring) && entry.setting.isLevel
      let isSettling = settles && now - returned < Charges.settling
      guard isSettling || value != entry.before && now == returned else {
        away[place] = nil
        return isOver ? nil : entry
      }
      var entry = entry
      entry.ours = nil
      return entry
    }
    return result
  }

  /// When to look again without a change.
  package func nextEnd(after now: Duration) -> Duration? {
    away.values.compactMap { $0.map { $0 + Charges.settling } }.filter { $0 > now }.min()
  }
}
