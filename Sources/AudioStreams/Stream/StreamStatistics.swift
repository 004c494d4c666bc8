import CPulseStream
import PulseTypes

/// Figures of a realtime stream since it was opened.
public struct StreamStatistics: Sendable, Hashable {
  /// How often the server delivered or requested sound.
  public var callbacks: UInt64
  /// Playback: how often the server ran out of sound.
  public var underflows: UInt64
  /// Playback: for how long it had none, by the clock.
  public var underflowTime: Duration
  /// Record: frames that were dropped because the ring was full.
  public var droppedFrames: UInt64
  /// Calls on the ring from the wrong thread.
  public var violations: UInt64
  /// The longest callback.
  public var longest: Duration
  private var buckets: [UInt64]

  /// Makes figures that are all zero.
  public init() { self.init(ps_stats()) }

  init(_ stats: ps_stats) {
    callbacks = stats.callbacks
    underflows = stats.underflows
    underflowTime = .nanoseconds(Int64(clamping: stats.underflow_ns))
    droppedFrames = stats.dropped_frames
    violations = stats.violations
    longest = .nanoseconds(Int64(clamping: stats.longest_ns))
    buckets = withUnsafeBytes(of: stats.buckets) { Array($0.bindMemory(to: UInt64.self)) }
  }

  mutating func add(_ other: StreamStatistics) {
    callbacks += other.callbacks
    underflows += other.underflows
    underflowTime += other.underflowTime
    droppedFrames += other.droppedFrames
    violations += other.violations
    longest = max(longest, other.longest)
    for index in buckets.indices { buckets[index] += other.buckets[index] }
  }

  /// The time within which this share of the callbacks ended, such as 0.999; at most one eighth too
  /// long, or ``longest`` if it is more than 7 ms.
  public func callbackTime(quantile: Double) -> Duration {
    let limit = UInt64(saturating: (Double(callbacks) * quantile).rounded(.up))
    var count: UInt64 = 0
    // The last bucket has no end.
    for (index, bucket) in buckets.dropLast().enumerated() {
      count += bucket
      if count >= limit { return .nanoseconds(Int64(ps_bucket_ns(UInt32(index)))) }
    }
    return longest
  }
}
