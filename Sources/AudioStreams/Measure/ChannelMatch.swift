/// What a channel of one recording is in another recording of the same time.
package enum ChannelMatch: Sendable, Hashable {
  /// The same sound as this channel.
  case channel(Int)
  /// The mix of all channels.
  case mix

  /// How alike two sounds are that are the same.
  package static let likeness = 0.9
  /// Matches that differ by less than this in likeness cannot be told apart.
  package static let doubt = 0.02

  /// For each channel of a recording, what it may be in the hardware's: one where that can be told,
  /// several where channels carry the same, none where it is silent or like nothing there.
  package static func find(
    _ heard: [[Float]], in hardware: [[Float]], sampleRate: Int
  ) -> [Set<ChannelMatch>] {
    heard.map { sound in
      // Half a second of the middle, which the other recording has as well.
      let length = min(sound.count / 3, sampleRate / 2)
      let start = (sound.count - length) / 2
      let probe = Array(sound[start..<start + length])
      guard SignalLevel.measure(probe).loudness > SignalCheck.Thresholds().silence else {
        return []
      }
      var scores = hardware.indices.map { number in
        (ChannelMatch.channel(number), score(probe, hardware[number]))
      }
      if hardware.count > 1 { scores.append((.mix, score(probe, mix(hardware)))) }
      let best = scores.map(\.1).max() ?? 0
      guard best >= likeness else { return [] }
      return Set(scores.filter { $0.1 >= best - doubt }.map(\.0))
    }
  }

  private static func score(_ probe: [Float], _ sound: [Float]) -> Double {
    Correlation.find(probe, in: sound)?.likeness ?? 0
  }

  private static func mix(_ channels: [[Float]]) -> [Float] {
    let count = channels.map(\.count).min() ?? 0
    return (0..<count).map { at in
      channels.reduce(0) { $0 + $1[at] } / Float(channels.count)
    }
  }
}
