import CPulseStream

/// The first sound after a discontinuity.
///
/// An idle device may deliver up to two seconds of old sound at once, in pieces that each look as
/// if they had just been captured; on a busy machine there are pauses between them. So pieces are
/// collected until they have come no faster than in real time for a while: the least delayed one
/// then says when all of them were captured. Times are nanoseconds.
struct Burst {
  /// All pieces so far, interleaved.
  private(set) var samples: [Float] = []
  private var duration: Int64 = 0
  /// When the last piece arrived, and when the sound would have begun if that one had no delay.
  private var arrival: Int64 = 0
  private var begin: Int64 = 0
  /// The earliest begin of all pieces, and when it last became clearly earlier: old sound came then.
  private var earliest = Int64.max
  private var advanced: Int64 = 0

  /// When the first piece arrived.
  private var first: Int64 = 0

  private static let calm: Int64 = 60_000_000
  private static let longest: Int64 = 1_000_000_000
  private static let jitter: Int64 = 2_000_000

  /// When the last frame was captured.
  var end: Int64 { earliest + duration }

  /// Whether a piece belongs to the burst; `fragment` is the duration of what the server sends at once.
  func takes(_ chunk: ps_chunk, rate: Int, fragment: Int64) -> Bool {
    if samples.isEmpty || chunk.arrival_ns == arrival { return true }
    let length = Stretch.duration(Int64(chunk.frames), rate)
    // It arrived faster than its duration.
    if chunk.arrival_ns - arrival < length / 2 { return true }
    if chunk.arrival_ns - first >= Self.longest { return false }
    // After a pause in the midst of old sound the next piece is late.
    let isInTime = begin - earliest <= Self.tolerance(length)
    let isCalm = arrival - advanced >= Self.calm || max(length, fragment) >= 2 * Self.calm
    return !(isInTime && isCalm)
  }

  /// An old piece comes earlier by nearly its length; a clock that is off, by much less.
  private static func tolerance(_ length: Int64) -> Int64 { max(jitter, length / 4) }

  mutating func add(_ chunk: ps_chunk, _ piece: UnsafeBufferPointer<Float>, rate: Int) {
    if samples.isEmpty { first = chunk.arrival_ns }
    samples += piece
    let length = Stretch.duration(Int64(chunk.frames), rate)
    duration += length
    arrival = chunk.arrival_ns
    begin = chunk.end(rate: rate) - duration
    if earliest == .max || begin < earliest - Self.tolerance(length) { advanced = arrival }
    earliest = min(earliest, begin)
  }
}

extension ps_chunk {
  /// When the last frame was captured if the frames arrived at once, in nanoseconds.
  func end(rate: Int) -> Int64 { host_ns + Int64(frames) * 1_000_000_000 / Int64(rate) }
}
