/// Counts frames against the clock: the best line through the numbers of frames over time.
///
/// A busy machine delivers frames late and never early, sometimes many deliveries in a row. So the
/// line is fitted again through the earlier half of the points, which the delays do not affect.
package struct ClockFit: Sendable, Hashable {
  /// Frames per second.
  package let rate: Double
  /// The uncertainty in Hz: three standard errors.
  package let uncertainty: Double

  private typealias Point = (time: Double, frames: Double)

  /// Fits points of a time (nanoseconds) and the number of frames until then; nil for fewer than
  /// five points, or if no time has passed.
  package init?(_ points: [(time: Int64, frames: Int)]) {
    guard points.count >= 5, let first = points.first else { return nil }
    var kept = points.map { point -> Point in
      (Double(point.time - first.time) / 1e9, Double(point.frames - first.frames))
    }
    guard var line = Line(kept) else { return nil }
    // Each round drops the latest points; two rounds leave about half.
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

  /// The line of least squares.
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

    /// How many more frames had arrived than on the line; negative if they were late.
    func miss(_ time: Double, _ frames: Double) -> Double {
      frames - mean.frames - slope * (time - mean.time)
    }
  }
}
