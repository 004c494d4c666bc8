import TestSupport
import Testing

@testable import SessionCore

/// The graph's cycle from positions, as a server answers that runs late, from afar, or at another rate.
@Suite struct CycleMeterTests {
  /// A graph whose cycles end at a time, late by up to a part of a cycle, and a stream in it.
  private struct Stream {
    var frames: Int
    var graphRate = 48000
    var rate = 48000
    var random: SeededRandom
    /// How late each cycle is at most, of its duration.
    var lateness = 0.0

    var cycle: Double { Double(frames) / Double(graphRate) }

    /// The frames of the stream after a time.
    mutating func position(at time: Double) -> Int64 {
      var cycles = (time / cycle).rounded(.down)
      let late = lateness * Double(random.below(1000)) / 1000
      if time - cycles * cycle < late * cycle { cycles -= 1 }
      return Int64((max(0, cycles) * cycle * Double(rate)).rounded(.down))
    }
  }

  private func measure(
    _ stream: inout Stream, expected: Double, answer: ClosedRange<Double>, limit: Double = 60
  ) -> Double? {
    var meter = CycleMeter(rate: stream.rate, expected: .seconds(1) * expected)
    // Cycles never go back, whoever is late.
    var (now, furthest) = (Double(stream.random.below(1000)) / 5000, Int64(0))
    let start = now
    while meter.isWorthwhile(after: .seconds(1) * (now - start)), now - start < limit {
      let asked = now
      let whole =
        answer.lowerBound
        + (answer.upperBound - answer.lowerBound) * Double(stream.random.below(1000)) / 1000
      let there = asked + whole * Double(stream.random.below(1000)) / 1000
      furthest = max(furthest, stream.position(at: there))
      now = asked + whole
      meter.note(furthest, asked: .seconds(1) * asked, answered: .seconds(1) * now)
      now += meter.pause / .seconds(1)
    }
    return meter.cycle.map { $0 / .seconds(1) }
  }

  private static let frames = [32, 64, 128, 256, 480, 512, 1024, 2048, 8192]

  @Test(arguments: frames, frames)
  func `on a quiet machine whatever was expected`(_ frames: Int, _ expected: Int) throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      for (graph, own) in [(48000, 48000), (48000, 44100), (44100, 48000), (96000, 16000)] {
        var stream = Stream(
          frames: frames, graphRate: graph, rate: own, random: SeededRandom(seed: seed))
        let cycle = measure(&stream, expected: Double(expected) / Double(graph), answer: 0...0.0001)
        let seen = try #require(cycle, "\(frames) of \(expected) at \(graph), seed \(seed)")
        #expect(
          abs(seen - stream.cycle) * Double(own) < 1.01,
          "\(seen) of \(stream.cycle) at \(graph) and \(own), seed \(seed)")
      }
    }
  }

  @Test(arguments: [0.005, 0.02, 0.05, 0.12])
  func `from afar, and on a busy machine`(_ answer: Double) {
    var (right, wrong, unknown) = (0, 0, 0)
    for seed in 1...200 as ClosedRange<UInt64> {
      for frames in [256, 512, 1024, 2048] {
        var stream = Stream(frames: frames, random: SeededRandom(seed: seed), lateness: 0.4)
        let cycle = measure(&stream, expected: stream.cycle, answer: answer / 2...answer)
        switch cycle {
        case nil: unknown += 1
        case let cycle? where abs(cycle - stream.cycle) * 48000 < 1.01: right += 1
        default: wrong += 1
        }
      }
    }
    // It is measured twice before it counts.
    #expect(
      wrong * 6 <= right && unknown * 20 <= right, "\(right) right, \(wrong) wrong, \(unknown)")
  }

  @Test func `a stream that does not run has none`() {
    var meter = CycleMeter(rate: 48000, expected: .milliseconds(10))
    var now = Duration.zero
    while meter.isWorthwhile(after: now) {
      meter.note(0, asked: now, answered: now + .microseconds(100))
      now += meter.pause
    }
    #expect(meter.cycle == nil && now < .seconds(1.2))
  }
}
