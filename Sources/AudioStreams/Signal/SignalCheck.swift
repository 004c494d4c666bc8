/// Finds what is wrong with recorded sound, by looking at nothing but the samples.
///
/// A pure function of them: the same sound always gives the same findings.
public struct SignalCheck: Sendable, Hashable {
  /// Something that is wrong.
  public enum Finding: Sendable, Hashable {
    /// No channel carries anything.
    case silent
    /// This channel carries nothing, while another does.
    case deadChannel(Int)
    /// Two channels carry the same: one microphone twice, perhaps at another volume or turned round.
    case dualMono(Int, Int)
    /// So many samples of this channel are at full scale.
    case clipping(Int, samples: Int)
    /// This channel's samples lie around this value, not around zero.
    case offset(Int, Double)
  }

  /// From where on something is wrong.
  public struct Thresholds: Sendable, Hashable {
    /// What is not louder is silence: -90 dB of full scale, where 16-bit samples end.
    public var silence = 3.16e-5
    /// A silent channel is dead where another is so many times louder: 20 dB.
    public var deadness = 10.0
    /// Two channels are one where what differs is no more than this part of them: -60 dB.
    public var sameness = 0.001
    /// So many samples at full scale are no accident.
    public var clippedSamples = 3
    /// An offset of this part of full scale is a fault: -40 dB.
    public var offset = 0.01

    /// Makes the usual thresholds.
    public init() {}
  }

  /// What each channel measures.
  public let levels: [SignalLevel]
  /// What is wrong; empty where all is well.
  public let findings: [Finding]

  /// Looks at some sound: a list of samples a channel, all of a length. A second of it tells enough.
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
        // What is left of one when the other is taken from it, as a part of it.
        let rest = max(0, 1 - likeness * likeness).squareRoot()
        return rest <= limits.sameness ? .dualMono(one, other) : nil
      }
    }
  }

  /// The correlation of two channels: 1 where one is the other at some volume, -1 turned round.
  private static func likeness(
    _ one: [Float], _ other: [Float], _ oneLevel: SignalLevel, _ otherLevel: SignalLevel
  ) -> Double {
    let count = min(one.count, other.count)
    guard count > 0 else { return 0 }
    var sum = 0.0
    // What is no number is no sound, as in the levels.
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
