internal import PulseTypes

/// Turns levels into what a meter shows: peak, loudness, and a peak that is held for a while.
///
/// A plain value with time as a parameter: it draws nothing and waits for nothing.
public struct LevelMeter: Sendable {
  /// What a meter shows of one channel; 1.0 is full scale.
  public struct Reading: Sendable, Hashable {
    /// The largest sample since the reading before.
    public var peak: Double
    /// The root of the mean square since the reading before.
    public var rms: Double
    /// The largest peak of the last `holdTime`; then it falls.
    public var hold: Double
    /// Whether a sample was at full scale since the reading before.
    public var isClipping: Bool
  }

  /// How long a peak is held before it falls.
  public static let holdTime: Duration = .milliseconds(1500)
  /// How fast it falls then: 20 dB a second.
  public static let fall = 20.0

  private var held: [(peak: Double, at: Duration)] = []
  private var last = Duration.zero

  /// Makes a meter that has seen nothing.
  public init() {}

  /// Takes new levels, and gives what to show.
  ///
  /// - Parameters:
  ///   - levels: of each channel, since the last call.
  ///   - time: of the call, from any begin; it does not go back.
  public mutating func update(_ levels: [SignalLevel], at time: Duration) -> [Reading] {
    while held.count < levels.count { held.append((0, time)) }
    let passed = (time - last).seconds
    last = time
    return levels.indices.map { channel in
      let level = levels[channel]
      if level.peak >= held[channel].peak {
        held[channel] = (level.peak, time)
      } else if time - held[channel].at > Self.holdTime {
        held[channel].peak = max(
          level.peak, held[channel].peak * amplitude(decibels: -Self.fall * passed))
      }
      return Reading(
        peak: level.peak, rms: level.rms, hold: held[channel].peak, isClipping: level.clipped > 0)
    }
  }
}
