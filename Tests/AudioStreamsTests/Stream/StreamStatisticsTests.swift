import CPulseStream
import Testing

@testable import AudioStreams

@Suite("Figures of a stream")
struct StreamStatisticsTests {
  @Test("a callback of any length is in the share of the slowest")
  func callbackTime() {
    var stats = ps_stats()
    stats.callbacks = 1000
    stats.longest_ns = 50_000_000
    // Up to 128 ns, and from 7.3 ms on.
    stats.buckets.0 = 990
    stats.buckets.127 = 10
    var statistics = StreamStatistics(stats)
    #expect(statistics.callbackTime(quantile: 0.99) == .nanoseconds(128))
    #expect(statistics.callbackTime(quantile: 0.999) == .milliseconds(50))
    stats.longest_ns = 80_000_000
    statistics.add(StreamStatistics(stats))
    #expect(statistics.callbackTime(quantile: 0.99) == .nanoseconds(128))
    #expect(statistics.callbackTime(quantile: 1) == .milliseconds(80))
  }
}
