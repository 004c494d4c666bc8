import CAudioKernel
import PulseTypes

/// Reads a file, converts it, and keeps the audio thread's ring filled.
///
/// Only the watching thread of the stream uses it, except where marked.
final class PlaybackFeed: @unchecked Sendable {  // used by one thread, as said above
  let reader: SoundFileReader
  private var converter: Converter?
  /// The kernel for the audio thread; made when the stream is ready.
  private(set) var player: OpaquePointer?
  private var pending: [Float] = []
  private var isAtEnd = false
  /// Why the file ended early; the sound before it is played.
  private(set) var damage: StreamError?

  init(_ reader: SoundFileReader) { self.reader = reader }

  deinit { ak_player_destroy(player) }

  /// Prepares for a ready stream: reads half a second ahead.
  ///
  /// - Parameter map: as which positions the session presents the stream's channels, if it selects them.
  func prepare(_ grant: StreamGrant, as map: ChannelMap? = nil) throws(StreamError) {
    let mix =
      if reader.positions == nil {
        ChannelMix(numbered: reader.channels, to: grant.channels)
      } else if let map, let own = reader.positions {
        ChannelMix(own, to: map)
      } else {
        try ChannelMix(.count(grant.channels), inputs: reader.channels)
      }
    converter = try Converter(fromRate: reader.sampleRate, toRate: grant.rate, mix)
    player = ak_player_create(grant.channels, max(grant.rate / 2, grant.bufferFrames * 2))
    guard player != nil else {
      throw StreamError(.engineInitFailed, "there is no memory for playing")
    }
    _ = try fill()
  }

  /// Fills the ring; false when the whole file has been played.
  func fill() throws(StreamError) -> Bool {
    guard let ring = player.map({ ak_player_ring($0) }) else { return false }
    while true {
      let room = ak_ring_writable(ring) / 4
      let part = min(room, pending.count)
      ak_ring_write(ring, pending, part * 4)
      pending.removeFirst(part)
      guard pending.isEmpty, !isAtEnd else { break }
      try readMore()
    }
    return !isAtEnd || !pending.isEmpty || ak_ring_readable(ring) > 0
  }

  private func readMore() throws(StreamError) {
    var samples: [Float] = []
    do throws(StreamError) { samples = try reader.read(frames: 4096) } catch { damage = error }
    if samples.isEmpty {
      isAtEnd = true
      try converter?.flush { pending += $0 }
    } else {
      try samples.withUnsafeBufferPointer { samples throws(StreamError) in
        try converter?.process(samples) { pending += $0 }
      }
    }
  }

  /// The number of played frames of the device; any thread may read it once the stream is ready.
  var position: Int64 { player.map { Int64(ak_player_position($0)) } ?? 0 }
  /// The frames of silence between sounds because the file was read too slowly; like `position`.
  var starved: Int64 { player.map { Int64(ak_player_starved($0)) } ?? 0 }
}
