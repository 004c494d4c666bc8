/// Finds sound that never arrived, by the clock: the stream falls behind, and stays behind.
///
/// A single piece may be late, so each second is represented by its least late piece. No device
/// clock drifts this much from one second to the next. Times are nanoseconds.
struct FallingBehind {
  private var began: Int64?
  private var least = Int64.max
  private var pieces = 0
  /// The lateness of the last second that counts as normal.
  private var usual: Int64?
  private var suspected: Int64 = 0

  private static let window: Int64 = 1_000_000_000
  private static let least: Int64 = 5_000_000
  /// No clock of a device drifts further from one second to the next (0.1 %).
  private static let drift: Int64 = 1_000_000

  /// Adds a piece that arrived at `time`, with this lateness relative to the earliest of its
  /// stretch. Returns the missing time, if any.
  ///
  /// - Parameter adapts: whether being late is the device's slow clock, and becomes usual.
  mutating func add(
    lateness: Int64, at time: Int64, fragment: Int64, adapts: Bool = false
  ) -> Int64? {
    let start = began ?? time
    began = start
    least = min(least, lateness)
    pieces += 1
    guard time - start >= Self.window, pieces >= 10 else { return nil }
    let now = least
    (began, least, pieces) = (time, .max, 0)
    guard let usual, !adapts else {
      (self.usual, suspected) = (now, 0)
      return nil
    }
    let fell = now - usual
    guard fell > max(Self.least, fragment / 2) else {
      // Little by little it would otherwise become usual to be late.
      let drift = Self.drift * max(1, (time - start) / Self.window)
      (self.usual, suspected) = (min(now, usual + drift), 0)
      return nil
    }
    // Only two late seconds in a row count; a single one means that the machine was slow. What fell behind
    // since then may count in the next.
    let lost = min(suspected, fell)
    suspected = fell - lost
    return lost > 0 ? lost : nil
  }
}
