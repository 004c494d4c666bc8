/// Finds the sound of a tap that the server lost without reporting it: in the sound itself, and by the
/// clock. Times are nanoseconds.
struct LossFinder {
  /// Finds lost cycles in the sound; nil if the server reports losses.
  var cycles: LostCycles?
  private(set) var lateness = FallingBehind()
  /// When the last piece of the tap ended, and until when it is looked for what a stop has cost.
  private var lastEnd: Int64?
  private var stoppedUntil: Int64 = 0

  /// A server that reports losses drops sound without a report only while this process is stopped for
  /// at least this time (the clock of a virtual machine's card may be slow all the time), and then more
  /// than half of the second one.
  private static let standstill: Int64 = 1_000_000_000
  private static let reported: Int64 = 200_000_000
  /// Devices deliver at least every two seconds.
  private static let longestPiece: Int64 = 2_200_000_000

  mutating func beginTap(_ cycles: LostCycles?) {
    self.cycles = cycles
    lastEnd = nil
  }

  /// Begins a stretch; after a hole that was counted in the frames the lateness continues.
  mutating func beginStretch(_ lateness: FallingBehind = FallingBehind()) {
    self.lateness = lateness
  }

  /// How much time the clock shows to be missing, after a piece that ended a stretch at `end`.
  mutating func missing(in stretch: Stretch, at end: Int64) -> Int64? {
    defer { lastEnd = end }
    var fragment = stretch.fragment
    if cycles == nil {
      if let lastEnd, end - lastEnd > Self.standstill { stoppedUntil = end + 10 * Self.standstill }
      fragment = max(fragment, Self.reported)
    }
    return lateness.add(
      lateness: stretch.behind, at: end, fragment: fragment,
      adapts: cycles == nil && end > stoppedUntil)
  }

  /// Whether the tap has delivered nothing for longer than a device may take.
  func isQuiet(at time: Int64) -> Bool { lastEnd.map { time - $0 > Self.longestPiece } ?? false }
}
