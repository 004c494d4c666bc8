import CAudioKernel

/// Finds what PipeWire lost without a word: a graph that comes too late hands on a cycle of zeros in
/// place of the sound.
///
/// Lost are zeros on all channels that begin and end in the midst of sound, are no longer than a
/// quarter of a second, and are of the length of cycles. Zeros are kept until what follows tells which
/// they are; those after sound that fades out are handed on at once.
struct LostCycles {
  /// A part of what came.
  enum Part {
    case sound(UnsafeBufferPointer<Float>)
    /// Zeros that were kept and are sound all the same: so many frames, and how many came since.
    case silence(Int)
    /// So many frames were lost.
    case lost(Int)
  }

  private let channels: Int
  private let longest: Int
  /// Frames of zeros whose kind is not known yet.
  private(set) var kept = 0
  /// The peak of the last frames before them.
  private var peak: Float = 0

  /// Cycles have a multiple of so many frames, and no fewer than twice as many.
  private static let cycle = 16
  /// -60 dB: what fades out is quieter at its end.
  private static let edge: Float = 0.001

  init(channels: Int, rate: Int) {
    self.channels = max(1, channels)
    longest = rate / 4
  }

  /// Takes what came; the parts follow each other, each with the frames of this call behind it.
  mutating func take(
    _ samples: UnsafeBufferPointer<Float>, _ hand: (Part, Int) throws(StreamError) -> Void
  ) throws(StreamError) {
    let frames = samples.count / channels
    var at = 0
    while at < frames {
      var count = 0
      // Any zero goes on with those that are kept.
      let least = kept > 0 ? 1 : 2 * Self.cycle
      let rest = samples.baseAddress! + at * channels
      let begin = at + ak_zero_run(rest, frames - at, channels, least, &count)
      if begin > at {
        let sound = UnsafeBufferPointer(rebasing: samples[(at * channels)..<(begin * channels)])
        try settle(before: sound, frames - at, hand)
        try hand(.sound(sound), frames - begin)
        peak = level(sound.suffix(Self.cycle * channels))
      }
      at = begin + count
      guard count > 0 else { continue }
      kept += count
      if peak < Self.edge || kept > longest { try release(frames - at, hand) }
    }
  }

  /// Hands on what was kept, as silence: nothing follows it, or no sound soon.
  mutating func release(
    _ behind: Int, _ hand: (Part, Int) throws(StreamError) -> Void
  ) throws(StreamError) {
    guard kept > 0 else { return }
    defer { (kept, peak) = (0, 0) }
    try hand(.silence(kept), behind)
  }

  private mutating func settle(
    before sound: UnsafeBufferPointer<Float>, _ behind: Int,
    _ hand: (Part, Int) throws(StreamError) -> Void
  ) throws(StreamError) {
    let isLost =
      kept >= 2 * Self.cycle && kept % Self.cycle == 0
      && level(sound.prefix(Self.cycle * channels)) >= Self.edge
    guard isLost else { return try release(behind, hand) }
    let lost = kept
    kept = 0
    try hand(.lost(lost), behind)
  }

  private func level(_ samples: Slice<UnsafeBufferPointer<Float>>) -> Float {
    samples.reduce(0) { max($0, abs($1)) }
  }
}

/// Finds sound that never came, by the clock: what comes falls behind, and stays there.
///
/// A piece may come late, so each second has the least late of its pieces; and no device's clock is off
/// by so much from one second to the next. Times are nanoseconds.
struct FallingBehind {
  private var began: Int64?
  private var least = Int64.max
  private var pieces = 0
  /// How late the last second's was that is taken as none.
  private var usual: Int64?
  private var suspected: Int64 = 0

  private static let window: Int64 = 1_000_000_000
  private static let least: Int64 = 5_000_000

  /// A piece came at a time, and so much later than the earliest of its stretch; what is missing.
  mutating func add(lateness: Int64, at time: Int64, fragment: Int64) -> Int64? {
    let start = began ?? time
    began = start
    least = min(least, lateness)
    pieces += 1
    guard time - start >= Self.window, pieces >= 10 else { return nil }
    let now = least
    (began, least, pieces) = (time, .max, 0)
    guard let usual else {
      self.usual = now
      return nil
    }
    let fell = now - usual
    guard fell > max(Self.least, fragment / 2) else {
      (self.usual, suspected) = (now, 0)
      return nil
    }
    // Two seconds in a row, or the machine was only slow.
    let lost = min(suspected, fell)
    suspected = lost > 0 ? 0 : fell
    return lost > 0 ? lost : nil
  }
}
