/// Finds faults of recorded sound in its samples.
///
/// A pure function: the same sound always has the same findings.
public struct SignalCheck: Sendable, Hashable {
  /// A fault.
  public enum Finding: Sendable, Hashable {
    /// All channels are silent.
    case silent
    /// This channel is silent although another is not.
    case deadChannel(Int)
    /// Two channels carry the same sound: one microphone twice, possibly at another volume or
    /// inverted.
    case dualMono(Int, Int)
    /// This number of samples of the channel is at full scale.
    case clipping(Int, samples: Int)
    /// The samples of this channel are centered at this value instead of zero.
    case offset(Int, Double)
  }

  /// The limits from which on something is a fault.
  public struct Thresholds: Sendable, Hashable {
    /// The level of silence: -90 dB of full scale, the resolution of 16-bit samples.
    public var silence = 3.16e-5
    /// A silent channel is dead if another one is louder by this factor: 20 dB.
    public var deadness = 10.0
    /// Two channels are the same if their difference is at most this fraction of them: -60 dB.
    public var sameness = 0.001
    /// The number of samples at full scale that is not accidental.
    public var clippedSamples = 3
    /// The fraction of full scale from which an offset is a fault: -40 dB.
    public var offset = 0.01

    /// Makes the default limits.
    public init() {}
  }

  /// The levels of each channel.
  public let levels: [SignalLevel]
  /// The faults; empty if there are none.
  public let findings: [Finding]

  /// Checks a sound: one list of samples per channel, all of the same length. One second is enough.
  public init(_ channels: [[Float]], thresholds: Thresholds = Thresholds()) {
    let levels = channels.map(SignalLevel.measure)
    self.levels = levels
    findings =
      Self.silence(levels, thresholds) + Self.pairs(channels, levels, thresholds)
      + levels.indices.flatMap { Self.faults(levels[$0], $0, thresholds) }
  }

  private static func silence(_ levels: [SignalLevel], _ limits: Thresholds) -> [Finding] {
    let loudest = levels.map(\.loudness).max() ?? 0
    if loudest <= limits.silence { return [.silent] }
    return levels.indices.filter {
      levels[$0].loudness <= limits.silence && levels[$0].loudness * limits.deadness < loudest
    }.map { .deadChannel($0) }
  }

  private static func pairs(
    _ channels: [[Float]], _ levels: [SignalLevel], _ limits: Thresholds
  ) -> [Finding] {
    let heard = levels.indices.filter { levels[$0].loudness > limits.silence }
    return heard.flatMap { one in
      heard.filter { $0 > one }.compactMap { other in
        let likeness = likeness(channels[one], channels[other], levels[one], levels[other])
        // What remains of one channel after the other's share is subtracted.
        let rest = max(0, 1 - likeness * likeness).squareRoot()
        return rest <= limits.sameness ? .dualMono(one, other) : nil
      }
    }
  }

  /// The correlation of two channels: 1 if they are equal except for the volume, -1 if inverted.
  private static func likeness(
    _ one: [Float], _ other: [Float], _ oneLevel: SignalLevel, _ otherLevel: SignalLevel
  ) -> Double {
    let count = min(one.count, other.count)
    guard count > 0 else { return 0 }
    var sum = 0.0
    // NaN does not count as sound, as in the levels.
    for at in 0..<count where one[at].isFinite && other[at].isFinite {
      sum += Double(one[at]) * Double(other[at])
    }
    let shared = sum / Double(count) - oneLevel.offset * otherLevel.offset
    return shared / (oneLevel.loudness * otherLevel.loudness)
  }

  private static func faults(
    _ level: SignalLevel, _ channel: Int, _ limits: Thresholds
  ) -> [Finding] {
    var result: [Finding] = []
    if level.clipped >= limits.clippedSamples {
      result.append(.clipping(channel, samples: level.clipped))
    }
    if abs(level.offset) >= limits.offset { result.append(.offset(channel, level.offset)) }
    return result
  }
}
