/// The counterpart of one recording's channel in a simultaneous other recording.
package enum ChannelMatch: Sendable, Hashable {
  /// The same sound as this channel.
  case channel(Int)
  case mix

  /// The minimum similarity of equal sounds.
  package static let likeness = 0.9
  /// Matches whose similarity differs by less than this are ambiguous.
  package static let doubt = 0.02
  /// By how many seconds two recordings that began together may be apart: an idle device may hand
  /// over two seconds of old sound, and opening a stream takes a moment.
  private static let slack = 4

  /// For each channel of a recording, the possible channels of the hardware: one if it is clear,
  /// several if channels carry the same sound, none if it is silent or matches none.
  package static func find(
    _ heard: [[Float]], in hardware: [[Float]], sampleRate: Int
  ) -> [Set<ChannelMatch>] {
    heard.map { sound in
      // Half a second from the middle, which the other recording also has.
      let length = min(sound.count / 3, sampleRate / 2)
      let start = (sound.count - length) / 2
      let probe = Array(sound[start..<start + length])
      guard SignalLevel.measure(probe).loudness > SignalCheck.silentLevel else {
        return []
      }
      // Comparing it with all of a long recording would take several times the recording's memory.
      let near = max(0, start - slack * sampleRate)..<start + length + slack * sampleRate
      let parts = hardware.map { Array($0[near.clamped(to: $0.indices)]) }
      var scores = parts.indices.map { number in
        (ChannelMatch.channel(number), score(probe, parts[number]))
      }
      if parts.count > 1 { scores.append((.mix, score(probe, mix(parts)))) }
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
