internal import PulseTypes

/// Converts levels to a meter's values: peak, loudness, and a peak that is held for a while.
///
/// A plain value with time as a parameter; it neither draws nor waits.
public struct LevelMeter: Sendable {
  /// A meter's values for one channel; 1.0 is full scale.
  public struct Reading: Sendable, Hashable {
    /// The greatest sample since the previous reading.
    public var peak: Double
    /// The root mean square since the previous reading.
    public var rms: Double
    /// The greatest peak of the last `holdTime`; then it falls.
    public var hold: Double
    /// Whether a sample was at full scale since the previous reading.
    public var isClipping: Bool
  }

  /// How long a peak is held before it falls.
  public static let holdTime: Duration = .milliseconds(1500)
  /// The speed of the fall: 20 dB per second.
  public static let fall = 20.0

  private var held: [(peak: Double, at: Duration)] = []
  private var last = Duration.zero

  /// Makes a meter without levels.
  public init() {}

  /// Adds new levels, and returns the values to show.
  ///
  /// - Parameters:
  ///   - levels: the levels of each channel since the last call.
  ///   - time: the time of the call, counted from any moment; it must not decrease.
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
