public import PulseTypes

/// Tells what PipeWire's session manager restores from what people choose, for the streams of others
/// that a session silences or lowers.
///
/// It gives a stream that begins the volume and mute of the program's last one, on a busy machine
/// after the session changed it. So in the first moments of a stream that began while the session acts,
/// one change of it is taken for that, and what was wished is set once more; a second one is somebody's
/// choice. Time is a parameter.
public struct RestoreWatch: Sendable {
  /// How long a stream is new.
  static let settling = Duration.seconds(5)

  private struct Treated {
    let since: Duration
    var hasBeenRestored = false
  }

  private var treated: [Setting: Treated] = [:]

  /// Makes a watch that has seen none.
  public init() {}

  /// Notes settings of streams that have just begun, changed for the first time.
  public mutating func note(_ settings: some Sequence<Setting>, at now: Duration) {
    treated = treated.filter { now - $0.value.since < Self.settling }
    for setting in settings where setting.isOfOthers { treated[setting] = Treated(since: now) }
  }

  /// The settings that were changed back meanwhile, with what they are now; each is told once.
  public mutating func restored(
    in snapshot: ServerSnapshot, beside baseline: Baseline, at now: Duration
  ) -> [Setting: SettingValue] {
    guard snapshot.has(.lateRestoring) else { return [:] }
    var result: [Setting: SettingValue] = [:]
    for (setting, one) in treated
    where !one.hasBeenRestored && now - one.since < Self.settling {
      guard let value = snapshot.value(of: setting), let entry = baseline[setting],
        !entry.isOurs(value)
      else { continue }
      treated[setting]?.hasBeenRestored = true
      result[setting] = value
    }
    return result
  }
}
