import CPulseStream

/// The first sound after a discontinuity.
///
/// An idle device may deliver up to two seconds of old sound at once, in pieces that each look as
/// if they had just been captured. So pieces are collected until one arrives no faster than in real
/// time: all of them then end at the arrival of the last one.
struct Burst {
  /// All pieces so far, interleaved.
  private(set) var samples: [Float] = []
  /// When the last frame was captured, in nanoseconds.
  private(set) var end: Int64 = 0
  private var arrival: Int64 = 0

  /// Whether a piece belongs to the burst: it is the first, or arrived faster than its duration.
  func takes(_ chunk: ps_chunk, rate: Int) -> Bool {
    if samples.isEmpty || chunk.arrival_ns == arrival { return true }
    let duration = Int64(chunk.frames) * 1_000_000_000 / Int64(rate)
    return chunk.arrival_ns - arrival < duration / 2
  }

  /// Adds a piece.
  mutating func add(_ chunk: ps_chunk, _ piece: UnsafeBufferPointer<Float>, rate: Int) {
    samples += piece
    arrival = chunk.arrival_ns
    end = chunk.end(rate: rate)
  }
}

extension ps_chunk {
  /// When the last frame was captured if the frames arrived at once, in nanoseconds.
  func end(rate: Int) -> Int64 { host_ns + Int64(frames) * 1_000_000_000 / Int64(rate) }
}
