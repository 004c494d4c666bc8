/// Missing frames, and the cause.
public struct MissingFrames: Sendable, Hashable, Codable {
  /// Why sound is missing; raw values are used in a recording's `FILE.json`.
  public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// The input changed or was away.
    case routeChange = "route-change"
    /// The server restarted.
    case serverReset = "server-reset"
    /// The device was suspended.
    case suspended
    /// The server lost the frames or delivered zeros in their place, the device delivered none, or
    /// this process was stopped for too long.
    case overrun
    /// The reader of the buffers fell behind by more than the backlog.
    case slowConsumer = "slow-consumer"
  }

  /// The position of the first missing frame.
  public var position: Int64
  /// The number of frames, at the capture's rate.
  public var frames: Int
  /// The cause.
  public var cause: Cause
}

extension [MissingFrames] {
  /// Adds a gap; one that continues the last one extends it.
  mutating func add(_ gap: MissingFrames) {
    if let last, last.cause == gap.cause, last.position + Int64(last.frames) == gap.position {
      self[count - 1].frames += gap.frames
    } else {
      append(gap)
    }
  }

  /// Adds the parts of a gap that no other gap covers. The list is sorted.
  mutating func fill(_ gap: MissingFrames) {
    let end = gap.position + Int64(gap.frames)
    var start = gap.position
    var parts: [MissingFrames] = []
    for other in self + [MissingFrames(position: end, frames: 0, cause: gap.cause)] {
      let frames = Int(Swift.min(other.position, end) - start)
      if frames > 0 {
        parts.append(MissingFrames(position: start, frames: frames, cause: gap.cause))
      }
      start = Swift.max(start, other.position + Int64(other.frames))
    }
    self = (self + parts).sorted { $0.position < $1.position }.joined()
  }

  /// The gaps, with adjacent ones of the same cause joined.
  package func joined() -> [MissingFrames] { reduce(into: []) { $0.add($1) } }
}
