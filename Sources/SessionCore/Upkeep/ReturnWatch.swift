package import PulseTypes

/// Decides what is left to restore of an earlier mode while no mode is in force, as unplugged devices
/// return. Time is a parameter.
///
/// What a device has when it returns is the server's choice and no person's, so it is restored whatever it
/// is. PipeWire's session manager restores levels a moment after it shows a device: until then they are
/// restored again.
package struct ReturnWatch: Sendable {
  private struct Place: Hashable {
    var setting: Setting
    var port: String?
  }

  /// What was seen to be unplugged or not in use, and when it returned.
  private var away: [Place: Duration?] = [:]

  /// Makes a watch that has seen nothing.
  package init() {}

  /// What is left to restore; an entry ends with a reading that shows the old value, or a value that a
  /// person chose.
  package mutating func unrestored(
    _ baseline: Baseline, in snapshot: ServerSnapshot, at now: Duration
  ) -> Baseline {
    var result = baseline.valid(for: snapshot)
    result.entries = result.entries.compactMap { entry -> Baseline.Entry? in
      let place = Place(setting: entry.setting, port: entry.port)
      if snapshot.absence(of: entry) != nil {
        away[place] = .some(nil)
        return entry
      }
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

  /// When to look again although nothing changes.
  package func nextEnd(after now: Duration) -> Duration? {
    away.values.compactMap { $0.map { $0 + Charges.settling } }.filter { $0 > now }.min()
  }
}
