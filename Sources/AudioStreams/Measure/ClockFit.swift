/// Counts frames against the clock: the line that fits best through what had come when.
///
/// A busy machine hands frames over late and never early, sometimes many deliveries in a row. So the
/// line is fitted again through the earlier half of the points, which the lateness does not bend.
package struct ClockFit: Sendable, Hashable {
  /// Frames a second.
  package let rate: Double
  /// How far off it may be, Hz: three standard errors.
  package let uncertainty: Double

  private typealias Point = (time: Double, frames: Double)

  /// Fits points of a time (nanoseconds) and the frames that had come by then; nil where there are
  /// fewer than five, or no time has passed.
  package init?(_ points: [(time: Int64, frames: Int)]) {
    guard points.count >= 5, let first = points.first else { return nil }
    var kept = points.map { point -> Point in
      (Double(point.time - first.time) / 1e9, Double(point.frames - first.frames))
    }
    guard var line = Line(kept) else { return nil }
    // Each time what lies latest goes; two rounds leave about half.
    for _ in 0..<2 where kept.count >= 20 {
      let misses = kept.map { line.miss($0.time, $0.frames) }
      let limit = misses.sorted()[misses.count * 3 / 10]
      let earlier = zip(kept, misses).filter { $0.1 >= limit }.map(\.0)
      guard let better = Line(earlier) else { break }
      (kept, line) = (earlier, better)
    }
    rate = line.slope
    uncertainty = 3 * line.error
  }

  /// The straight line with the least squares.
  private struct Line {
    var slope: Double
    var error: Double
    private var mean: Point

    init?(_ points: [Point]) {
      let count = Double(points.count)
      mean = (
        points.reduce(0) { $0 + $1.time } / count, points.reduce(0) { $0 + $1.frames } / count
      )
      var (spread, shared) = (0.0, 0.0)
      for point in points {
        spread += (point.time - mean.time) * (point.time - mean.time)
        shared += (point.time - mean.time) * (point.frames - mean.frames)
      }
      guard spread > 0, count > 2 else { return nil }
      slope = shared / spread
      error = 0
      let rest = points.reduce(0.0) { sum, point in
        let miss = self.miss(point.time, point.frames)
        return sum + miss * miss
      }
      error = (rest / (count - 2) / spread).squareRoot()
    }

    /// How many frames more had come than the line says; fewer, where they were late.
    func miss(_ time: Double, _ frames: Double) -> Double {
      frames - mean.frames - slope * (time - mean.time)
    }
  }
}
