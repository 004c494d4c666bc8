/// Counts frames against the clock: the line that fits best through what had come when.
package struct ClockFit: Sendable, Hashable {
  /// Frames a second.
  package let rate: Double
  /// How far off it may be, Hz: two standard errors.
  package let uncertainty: Double

  /// Fits points of a time (nanoseconds) and the frames that had come by then; nil where there are
  /// fewer than five, or no time has passed.
  package init?(_ points: [(time: Int64, frames: Int)]) {
    guard points.count >= 5, let first = points.first else { return nil }
    let count = Double(points.count)
    let times = points.map { Double($0.time - first.time) / 1e9 }
    let frames = points.map { Double($0.frames - first.frames) }
    let (meanTime, meanFrames) = (times.reduce(0, +) / count, frames.reduce(0, +) / count)
    var (spread, shared) = (0.0, 0.0)
    for (time, frames) in zip(times, frames) {
      spread += (time - meanTime) * (time - meanTime)
      shared += (time - meanTime) * (frames - meanFrames)
    }
    guard spread > 0 else { return nil }
    let slope = shared / spread
    let rest = zip(times, frames).reduce(0.0) { sum, point in
      let miss = point.1 - meanFrames - slope * (point.0 - meanTime)
      return sum + miss * miss
    }
    rate = slope
    uncertainty = 2 * (rest / (count - 2) / spread).squareRoot()
  }
}
