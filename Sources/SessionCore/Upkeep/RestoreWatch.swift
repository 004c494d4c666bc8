package import PulseTypes

/// Distinguishes values that PipeWire's session manager restores from values that users choose, for
/// other programs' streams that a session silences or lowers.
///
/// The session manager gives a new stream the volume and mute of the program's last one; on a busy
/// machine it does so after the session has changed them. So one change within the first moments of
/// a new stream counts as restored, and the session sets its value once more; a second change
/// counts as the user's choice. Time is a parameter.
package struct RestoreWatch: Sendable {
  private struct Treated {
    let since: Duration
    var hasBeenRestored = false
  }

  private var treated: [Setting: Treated] = [:]

  /// Notes settings of new streams that the session has changed for the first time.
  package mutating func note(_ settings: some Sequence<Setting>, at now: Duration) {
    treated = treated.filter { now - $0.value.since < Charges.settling }
    for setting in settings where setting.isOfOthers { treated[setting] = Treated(since: now) }
  }

  /// The session did not get to set these again: they are still to be returned.
  package mutating func takeBack(_ settings: Set<Setting>) {
    for setting in settings { treated[setting]?.hasBeenRestored = false }
  }

  /// The settings that were changed back in the meantime, with their current values; returns each
  /// once.
  package mutating func restored(
    in snapshot: ServerSnapshot, beside baseline: Baseline, at now: Duration
  ) -> [Setting: SettingValue] {
    guard snapshot.has(.lateRestoring) else { return [:] }
    var result: [Setting: SettingValue] = [:]
    for (setting, one) in treated
    where !one.hasBeenRestored && now - one.since < Charges.settling {
      guard let value = snapshot.value(of: setting), let entry = baseline[setting],
        !entry.isOurs(value)
      else { continue }
      treated[setting]?.hasBeenRestored = true
      result[setting] = value
    }
    return result
  }
}
