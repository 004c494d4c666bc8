import PulseTypes

/// Sound of one tap without a gap: its frames are counted, and the clock shows when it began.
///
/// Each piece arrives with some delay, so the least delayed one counts. Times are nanoseconds.
struct Stretch {
  /// The device's rate in Hz.
  let rate: Int
  /// The duration of a fragment.
  let fragment: Int64
  /// Frames of the device that were converted.
  private(set) var framesIn: Int64 = 0
  /// Frames that came out of the converter, at its output rate.
  var framesOut: Int64 = 0
  /// Whether the clock has shown what is missing before it.
  var isJoined = false
  private var start: Int64?
  /// How much later the last piece arrived than the least delayed one.
  private(set) var behind: Int64 = 0
  /// The apparent begin when it was joined, and the begin according to its first seconds.
  private var joined: Int64 = 0
  private var believed: Int64 = 0

  /// Later pieces reflect the drift of the device's clock rather than the begin.
  private static let seconds = 2

  init(rate: Int, fragment: Int64) {
    self.rate = rate
    self.fragment = fragment
  }

  /// Whether it is known when it began.
  var hasBegun: Bool { start != nil }

  /// When the last frame was captured.
  var end: Int64 { (start ?? 0) + Self.duration(framesIn, rate) }

  /// How much later its begin seemed to be when it was joined.
  var lateness: Int64 { isJoined ? joined - believed : 0 }

  /// Adds a piece of frames, of which the last was captured at a time.
  mutating func add(_ frames: Int, until end: Int64) {
    framesIn += Int64(frames)
    let heard = end - Self.duration(framesIn, rate)
    guard let former = start else {
      (start, joined, believed) = (heard, heard, heard)
      return
    }
    // The estimate yields a little over time: the device may be slower than the machine's clock.
    start = min(heard, former + fragment / 10_000)
    behind = heard - (start ?? heard)
    if framesIn < Int64(Self.seconds * rate) { believed = min(believed, heard) }
  }

  /// Where the device's last frames are in what the converter makes of them; `end` is the position after
  /// what has come out of it.
  func place(ofLast count: Int, atRate rate: Int, end: Int64) -> ZeroFrames {
    let scale = Double(rate) / Double(max(1, self.rate))
    // Some of them may not have come out yet.
    let last = Double(end - framesOut) + Double(framesIn) * scale
    let first = Int64(saturating: last - Double(count) * scale)
    return ZeroFrames(position: first, frames: Int(saturating: last - Double(first)))
  }

  /// The stretch after a hole of this duration, of which the device has counted the frames.
  func next(after hole: Int64) -> Stretch {
    var next = Stretch(rate: rate, fragment: fragment)
    let begin = end + hole
    (next.start, next.joined, next.believed) = (begin, begin, begin)
    next.isJoined = isJoined
    return next
  }

  static func duration(_ frames: Int64, _ rate: Int) -> Int64 {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(max(1, rate)))
    return seconds * 1_000_000_000 + rest * 1_000_000_000 / Int64(max(1, rate))
  }
}
