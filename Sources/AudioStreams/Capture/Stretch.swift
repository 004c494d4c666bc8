/// Sound of one tap without a gap: its frames are counted, and the clock says when it began.
///
/// Each piece comes late by some delay, so the least late one is believed. Times are nanoseconds.
struct Stretch {
  /// Hz, of the device.
  let rate: Int
  /// How long a fragment is.
  let fragment: Int64
  /// Frames of the device that came in.
  private(set) var framesIn: Int64 = 0
  /// Frames at the other rate that came out of the converter.
  var framesOut: Int64 = 0
  /// Whether the clock said what is missing before it.
  var isJoined = false
  private var start: Int64?
  /// How much later the last piece came than the earliest of them.
  private(set) var behind: Int64 = 0
  /// Where it seemed to begin when it was joined, and where it did by its first seconds.
  private var joined: Int64 = 0
  private var believed: Int64 = 0

  /// Later pieces say more of the device's clock, which is not the machine's, than of the begin.
  private static let seconds = 2

  init(rate: Int, fragment: Int64) {
    self.rate = rate
    self.fragment = fragment
  }

  /// When the last frame that came in was captured.
  var end: Int64 { (start ?? 0) + Self.duration(framesIn, rate) }

  /// How much later it seemed to begin, when it was joined, than it did.
  var lateness: Int64 { isJoined ? joined - believed : 0 }

  /// A piece of so many frames came, of which the last was captured at a time.
  mutating func add(_ frames: Int, until end: Int64) {
    framesIn += Int64(frames)
    let heard = end - Self.duration(framesIn, rate)
    guard let former = start else {
      (start, joined, believed) = (heard, heard, heard)
      return
    }
    // A little less is believed with time: the device may be slower than the machine's clock.
    start = min(heard, former + fragment / 10_000)
    behind = heard - (start ?? heard)
    if framesIn < Int64(Self.seconds * rate) { believed = min(believed, heard) }
  }

  /// The stretch after a hole so long, of which the device itself has counted the frames.
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
