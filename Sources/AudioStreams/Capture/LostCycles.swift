import CAudioKernel

/// Finds cycles that PipeWire lost without reporting it: a graph that is late passes on a cycle of
/// zeros instead of the sound.
///
/// A run of zeros counts as lost if it spans all channels, begins and ends amid sound, is no longer
/// than a quarter of a second, and has the length of whole cycles. Zeros are held back until the
/// next sound shows which kind they are; zeros after a fade-out are passed on at once.
///
/// A longer run of this kind is silence: a mute makes the same zeros, without a fade. It is pointed
/// out at its end, for those who know of mutes.
struct LostCycles {
  /// A part of the input.
  enum Part {
    case sound(UnsafeBufferPointer<Float>)
    /// This number of zero frames was held back, and they turned out to be sound.
    case silence(Int)
    /// This number of frames was lost.
    case lost(Int)
    /// The last frames that were passed on as silence, this number of them, are zeros amid sound.
    case zeros(Int)
  }

  private let channels: Int
  private let longest: Int
  /// Zero frames of which the kind is not known yet.
  private(set) var kept = 0
  /// Zero frames of a run that began amid sound, and was too long to be held back.
  private var long = 0
  /// The peaks of the last frames before them: one cycle, or what has come of it, and the one before.
  private var last: (peak: Float, frames: Int) = (0, 0)
  private var former: Float = 0
  private var peak: Float { max(former, last.peak) }

  /// The frames of a cycle are a multiple of this, and at least twice as many.
  private static let cycle = 16
  /// -60 dB: sound that fades out is quieter than this at its end.
  private static let edge: Float = 0.001

  init(channels: Int, rate: Int) {
    self.channels = max(1, channels)
    longest = rate / 4
  }

  /// Splits samples into parts, in order. `hand` gets each part and the number of frames of this
  /// call that follow it.
  mutating func take(
    _ samples: UnsafeBufferPointer<Float>, _ hand: (Part, Int) throws(StreamError) -> Void
  ) throws(StreamError) {
    let frames = samples.count / channels
    var at = 0
    while at < frames {
      var count = 0
      // Any further zero extends a run.
      let least = kept > 0 || long > 0 ? 1 : 2 * Self.cycle
      let rest = samples.baseAddress! + at * channels
      let begin = at + ak_zero_run(rest, frames - at, channels, least, &count)
      if begin > at {
        let sound = UnsafeBufferPointer(rebasing: samples[(at * channels)..<(begin * channels)])
        try settle(before: sound, frames - at, hand)
        try hand(.sound(sound), frames - begin)
        note(sound)
      }
      at = begin + count
      guard count > 0 else { continue }
      kept += count
      guard long > 0 || peak < Self.edge || kept > longest else { continue }
      let run = long > 0 || peak >= Self.edge ? long + kept : 0
      try release(frames - at, hand)
      long = run
    }
  }

  /// Passes on the held-back zeros as silence: no sound follows, or none soon. Ends a long run.
  mutating func release(
    _ behind: Int, _ hand: (Part, Int) throws(StreamError) -> Void
  ) throws(StreamError) {
    guard kept > 0 else { return long = 0 }
    defer {
      kept = 0
      forget()
    }
    try hand(.silence(kept), behind)
  }

  /// The zeros of whole cycles with which sound begins after a gap: they belong to the gap.
  static func leading(_ samples: [Float], _ channels: Int) -> Int {
    var count = 0
    let frames = samples.count / max(1, channels)
    let begin = ak_zero_run(samples, frames, channels, 2 * cycle, &count)
    return begin == 0 && count % cycle == 0 && count < frames ? count : 0
  }

  /// What is held back before a gap, if it is whole cycles amid sound; nil for anything else.
  mutating func lose() -> Int? {
    guard kept >= 2 * Self.cycle, kept % Self.cycle == 0 else { return nil }
    defer {
      kept = 0
      forget()
    }
    return kept
  }

  /// Forgets the sound so far: what follows does not continue it. Call it without held-back zeros.
  mutating func forget() { (last, former, long) = ((0, 0), 0, 0) }

  /// Sound may come in pieces that are shorter than a cycle, and pass through zero.
  private mutating func note(_ sound: UnsafeBufferPointer<Float>) {
    let frames = sound.count / channels
    if frames >= Self.cycle {
      (last, former) = ((level(sound.suffix(Self.cycle * channels)), frames), 0)
    } else {
      if last.frames >= Self.cycle { (last, former) = ((0, 0), last.peak) }
      last = (max(last.peak, level(sound[...])), last.frames + frames)
    }
  }

  private mutating func settle(
    before sound: UnsafeBufferPointer<Float>, _ behind: Int,
    _ hand: (Part, Int) throws(StreamError) -> Void
  ) throws(StreamError) {
    // The first frames of sound that passes through zero are as much quieter as they are fewer; one
    // alone says nothing.
    let share = min(1, Float(sound.count / channels - 1) / Float(Self.cycle))
    let isAmidSound = level(sound.prefix(Self.cycle * channels)) >= Self.edge * share
    if long > 0 {
      // Nothing of it is held back.
      let zeros = long
      long = 0
      if isAmidSound, zeros % Self.cycle == 0 { try hand(.zeros(zeros), behind) }
      return
    }
    let isLost = isAmidSound && kept >= 2 * Self.cycle && kept % Self.cycle == 0
    guard isLost else { return try release(behind, hand) }
    let lost = kept
    kept = 0
    try hand(.lost(lost), behind)
  }

  private func level(_ samples: Slice<UnsafeBufferPointer<Float>>) -> Float {
    samples.reduce(0) { max($0, abs($1)) }
  }
}
