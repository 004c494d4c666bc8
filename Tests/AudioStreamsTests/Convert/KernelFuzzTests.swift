import CAudioKernel
import Glibc
import TestSupport
import Testing

/// Kernels with random sizes and random samples, in memory of exactly that size: what touches more is
/// found by AddressSanitizer (`swift test --sanitize=address --filter KernelFuzz`).
@Suite("Kernels with random sizes")
struct KernelFuzzTests {
  private static func samples(_ count: Int, _ random: inout SeededRandom) -> [Float] {
    (0..<count).map { _ in
      switch Int.random(in: 0..<50, using: &random) {
      case 0: .nan
      case 1: .infinity
      case 2: -.infinity
      case 3: .greatestFiniteMagnitude
      default: Float.random(in: -2...2, using: &random)
      }
    }
  }

  @Test("mixing is the matrix times the frame", arguments: 0..<20)
  func mix(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    for _ in 0..<20 {
      let (inputs, outputs) = (
        Int.random(in: 1...32, using: &random), Int.random(in: 1...32, using: &random)
      )
      let frames = Int.random(in: 0...200, using: &random)
      let input = (0..<(frames * inputs)).map { _ in Float.random(in: -1...1, using: &random) }
      let matrix = (0..<(inputs * outputs)).map { _ in Float.random(in: -1...1, using: &random) }
      var output = [Float](repeating: 7, count: frames * outputs)
      ak_mix(input, inputs, &output, outputs, matrix, frames)
      for index in output.indices {
        let (frame, row) = (index / outputs, index % outputs)
        let expected = (0..<inputs).reduce(Float(0)) {
          $0 + matrix[row * inputs + $1] * input[frame * inputs + $1]
        }
        #expect(abs(output[index] - expected) < 1e-4)
      }
    }
  }

  @Test("levels and integers are right for any samples", arguments: 0..<20)
  func levels(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    for _ in 0..<50 {
      let count = Int.random(in: 0...500, using: &random)
      let channels = Int.random(in: 1...9, using: &random)
      let input = Self.samples(count, &random)
      var levels = [ak_meter](repeating: ak_meter(), count: channels)
      ak_meter_add(&levels, UInt32(channels), input, count / channels)
      for (channel, level) in levels.enumerated() {
        let frames = 0..<(count / channels)
        let counted = frames.map { input[$0 * channels + channel] }.filter(\.isFinite)
        #expect(level.peak == counted.map(abs).max() ?? 0)
        let expected = counted.reduce(0.0) { $0 + Double($1) * Double($1) }
        #expect(abs(level.sum_of_squares - expected) <= 1e-9 * expected)
      }
      var integers = [Int16](repeating: 0, count: count)
      ak_to_int16(input, &integers, count)
      for (sample, integer) in zip(input, integers) {
        let wanted =
          sample.isNaN ? 0 : max(-32768, min(32767, (sample * 32768).rounded(.toNearestOrEven)))
        #expect(Float(integer) == wanted, "\(sample)")
      }
    }
  }

  @Test(
    "a player plays what is there, then silence, which it counts between sounds", arguments: 0..<20)
  func player(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let channels = Int.random(in: 1...8, using: &random)
    let player = try #require(ak_player_create(channels, 100))
    defer { ak_player_destroy(player) }
    var (written, played, starved, silence) = (0, 0, 0, 0)
    for _ in 0..<200 {
      let frames = Int.random(in: 0...60, using: &random)
      let block = (0..<(frames * channels)).map { Float(written * channels + $0 + 1) }
      if ak_ring_write(ak_player_ring(player), block, block.count * 4) { written += frames }
      let asked = Int.random(in: 0...60, using: &random)
      var out = [Float](repeating: -1, count: asked * channels)
      ak_player_render(UnsafeMutableRawPointer(player), &out, asked)
      let ready = min(asked, written - played)
      let expected =
        (0..<(ready * channels)).map { Float(played * channels + $0 + 1) }
        + [Float](repeating: 0, count: (asked - ready) * channels)
      #expect(out == expected)
      played += ready
      if ready > 0 { (starved, silence) = (starved + silence, 0) }
      if played > 0 { silence += asked - ready }
    }
    #expect(ak_player_position(player) == UInt64(played))
    #expect(ak_player_starved(player) == UInt64(starved))
  }
}
