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

  /// The level of silence: -90 dB of full scale, the resolution of 16-bit samples.
  package static let silentLevel = 3.16e-5
  /// A silent channel is dead if another one is louder by this factor: 20 dB.
  private static let deadness = 10.0
  /// Two channels are the same if their difference is at most this fraction of them: -60 dB.
  private static let sameness = 0.001
  /// The number of samples at full scale that is not accidental.
  private static let clippedSamples = 3
  /// The fraction of full scale from which an offset is a fault: -40 dB.
  private static let faultyOffset = 0.01

  /// The levels of each channel.
  public let levels: [SignalLevel]
  /// The faults; empty if there are none.
  public let findings: [Finding]

  /// Checks a sound: one list of samples per channel, all of the same length. One second is enough.
  public init(_ channels: [[Float]]) {
    let levels = channels.map(SignalLevel.measure)
    self.levels = levels
    findings =
      Self.silence(levels) + Self.pairs(channels, levels)
      + levels.indices.flatMap { Self.faults(levels[$0], $0) }
  }

  private static func silence(_ levels: [SignalLevel]) -> [Finding] {
    let loudest = levels.map(\.loudness).max() ?? 0
    if loudest <= silentLevel { return [.silent] }
    return levels.indices.filter {
      levels[$0].loudness <= silentLevel && levels[$0].loudness * deadness < loudest
    }.map { .deadChannel($0) }
  }

  private static func pairs(_ channels: [[Float]], _ levels: [SignalLevel]) -> [Finding] {
    let heard = levels.indices.filter { levels[$0].loudness > silentLevel }
    return heard.flatMap { one in
      heard.filter { $0 > one }.compactMap { other in
        let likeness = likeness(channels[one], channels[other], levels[one], levels[other])
        // What remains of one channel after the other's share is subtracted.
        let rest = max(0, 1 - likeness * likeness).squareRoot()
        return rest <= sameness ? .dualMono(one, other) : nil
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

  private static func faults(_ level: SignalLevel, _ channel: Int) -> [Finding] {
    var result: [Finding] = []
    if level.clipped >= clippedSamples {
      result.append(.clipping(channel, samples: level.clipped))
    }
    if abs(level.offset) >= faultyOffset { result.append(.offset(channel, level.offset)) }
    return result
  }
}
