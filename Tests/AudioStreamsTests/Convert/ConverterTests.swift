import CAllocationCounter
import Glibc
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

extension Trait where Self == ConditionTrait {
  static var soxr: Self { .enabled(if: Resampler.isAvailable, "needs the package libsoxr-dev") }
}

@Suite("Conversion", .soxr)
struct ConverterTests {
  /// A sine of 0.5, a little off on each further channel.
  static func sine(
    _ frequency: Double, rate: Int, frames: Int, channels: Int = 1, amplitude: Double = 0.5
  ) -> [Float] {
    (0..<frames).flatMap { frame in
      let value = amplitude * sin(2 * .pi * frequency * Double(frame) / Double(rate))
      return [Float](repeating: Float(value), count: channels)
    }
  }

  /// Converts all of the samples, in pieces of so many frames.
  static func convert(
    _ samples: [Float], _ converter: inout Converter, channels: Int, piece: Int
  ) throws -> [Float] {
    var result: [Float] = []
    try samples.withUnsafeBufferPointer { samples in
      for start in stride(from: 0, to: samples.count, by: piece * channels) {
        let end = min(samples.count, start + piece * channels)
        try converter.process(UnsafeBufferPointer(rebasing: samples[start..<end])) { result += $0 }
      }
    }
    try converter.flush { result += $0 }
    return result
  }

  struct Rates: Sendable {
    var from: Int
    var to: Int
  }

  static let rates = [
    Rates(from: 48000, to: 16000), Rates(from: 44100, to: 16000), Rates(from: 44100, to: 48000),
    Rates(from: 48000, to: 44100), Rates(from: 16000, to: 8000), Rates(from: 8000, to: 48000),
    Rates(from: 192_000, to: 16000), Rates(from: 48000, to: 192_000), Rates(from: 96000, to: 11025),
  ]

  @Test("keeps frequency and level, 100 dB clear of noise, in whole", arguments: 0..<rates.count)
  func quality(index: Int) throws {
    let rates = Self.rates[index]
    let frames = rates.from / 4 + 17
    for frequency in [441.0, 1000, 3300] {
      var converter = try Converter(
        fromRate: rates.from, channels: 1, toRate: rates.to, channels: .mono)
      let input = Self.sine(frequency, rate: rates.from, frames: frames)
      let output = try Self.convert(input, &converter, channels: 1, piece: 960)
      // As long as what went in, to the frame.
      let expected = (Double(frames) * Double(rates.to) / Double(rates.from)).rounded()
      #expect(Double(output.count) == expected)
      // The ends are where the tone begins and stops; in between nothing but the tone is heard.
      let inner = Array(output[(output.count / 4)..<(output.count * 3 / 4)])
      let tone = Tone(inner, rate: Double(rates.to), near: frequency)
      #expect(abs(tone.frequency / frequency - 1) < 1e-4)
      #expect(abs(20 * log10(tone.amplitude / 0.5)) < 0.1)
      #expect(tone.noise < -100, "\(frequency) Hz, \(rates)")
    }
  }

  @Test("suppresses what the lower rate cannot carry by 100 dB")
  func aliases() throws {
    var converter = try Converter(fromRate: 48000, channels: 1, toRate: 16000, channels: .mono)
    let input = Self.sine(9000, rate: 48000, frames: 48000)
    let output = try Self.convert(input, &converter, channels: 1, piece: 960)
    let inner = output[4000..<12000]
    let power = inner.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(inner.count)
    #expect(10 * log10(power / 0.125) < -100)
  }

  @Test("through a chain of rates nothing is lost")
  func chain() throws {
    let steps = [44100, 48000, 16000, 8000]
    var samples = Self.sine(1000, rate: 44100, frames: 44100)
    for (from, to) in zip(steps, steps.dropFirst()) {
      var converter = try Converter(fromRate: from, channels: 1, toRate: to, channels: .mono)
      samples = try Self.convert(samples, &converter, channels: 1, piece: 512)
      #expect(samples.count == to)
    }
    let tone = Tone(Array(samples[2000..<6000]), rate: 8000, near: 1000)
    #expect(abs(tone.frequency - 1000) < 0.1)
    #expect(abs(20 * log10(tone.amplitude / 0.5)) < 0.1)
    #expect(tone.noise < -95)
  }

  @Test("gives the same whatever the pieces", arguments: [1, 7, 441, 4096, 48000])
  func pieces(piece: Int) throws {
    var random = SeededRandom(seed: 1)
    let input = (0..<48000).map { _ in Float.random(in: -1...1, using: &random) }
    for channels in [1, 2] {
      var whole = try Converter(
        fromRate: 48000, channels: channels, toRate: 16000, channels: .mono)
      let expected = try Self.convert(input, &whole, channels: channels, piece: 24000)
      var converter = try Converter(
        fromRate: 48000, channels: channels, toRate: 16000, channels: .mono)
      let output = try Self.convert(input, &converter, channels: channels, piece: piece)
      #expect(output.count == expected.count)
      let difference = zip(output, expected).map { abs($0 - $1) }.max() ?? 1
      #expect(difference < 1e-6)
    }
  }

  /// The filter of high quality needs 6 ms of later sound; libsoxr's blocks would make it 40.
  @Test("holds sound back for 21 ms at most", arguments: [48000, 44100])
  func delay(rate: Int) throws {
    var converter = try Converter(fromRate: rate, channels: 1, toRate: 16000, channels: .mono)
    let piece = [Float](repeating: 0.1, count: rate / 1000)
    var (fed, made, longest) = (0, 0, 0.0)
    for _ in 0..<500 {
      fed += piece.count
      let first = Double(made) / 16000
      try piece.withUnsafeBufferPointer { try converter.process($0) { made += $0.count } }
      if made > Int(first * 16000) { longest = max(longest, Double(fed) / Double(rate) - first) }
    }
    #expect(longest > 0 && longest < 0.021)
  }

  @Test("is as new after a flush")
  func reuse() throws {
    var converter = try Converter(fromRate: 44100, channels: 1, toRate: 16000, channels: .mono)
    let input = Self.sine(500, rate: 44100, frames: 10_000)
    let first = try Self.convert(input, &converter, channels: 1, piece: 441)
    #expect(try Self.convert(input, &converter, channels: 1, piece: 441) == first)
  }

  @Test("mixes channels down and up")
  func channels() throws {
    func mix(_ input: [Float], _ inputs: Int, _ outputs: CaptureChannels) throws -> [Float] {
      var converter = try Converter(
        fromRate: 48000, channels: inputs, toRate: 48000, channels: outputs)
      return try Self.convert(input, &converter, channels: inputs, piece: 10)
    }
    let eight: [Float] = [1, 2, 3, 4, 5, 6, 7, 8]
    #expect(try mix(eight, 8, .mono) == [4.5])
    #expect(try mix(eight, 8, .channel(2)) == [3])
    #expect(try mix(eight, 8, .count(2)) == [4, 5])
    #expect(
      try mix([1, 2], 1, .count(8)) == [Float](repeating: 1, count: 8)
        + [Float](repeating: 2, count: 8))
    #expect(try mix([1, 2], 2, .count(4)) == [1, 2, 1, 2])
    #expect(try mix(eight, 8, .device) == eight)
    #expect(throws: StreamError.self) { try mix([1, 2], 2, .channel(2)) }
  }

  @Test("mixes channels by their positions")
  func positions() throws {
    let surround = ChannelMap([.frontLeft, .frontRight, .frontCenter, .lfe, .rearLeft, .rearRight])
    func mixed(_ input: [Float], _ from: ChannelMap, _ to: ChannelMap) -> [Float] {
      let scratch = Scratch()
      return withExtendedLifetime(scratch) {
        input.withUnsafeBufferPointer { Array(ChannelMix(from, to: to).apply($0, scratch)) }
      }
    }
    #expect(mixed([1, 0, 0, 0, 0, 0], surround, .stereo) == [0.4, 0])
    #expect(mixed([0, 0, 1, 0, 0, 0], surround, .stereo) == [0.2, 0.2])
    #expect(mixed([0, 0, 0, 1, 0, 0], surround, .stereo) == [0, 0])
    #expect(mixed([0, 0, 0, 0, 0, 1], surround, .stereo) == [0, 0.4])
    #expect(mixed([1, 1, 1, 1, 1, 1], surround, .stereo) == [1, 1])
    #expect(mixed([1, 0.5], .stereo, .quad) == [1, 0.5, 1, 0.5])
    #expect(mixed([0.5, 1], .stereo, .mono) == [0.75])
    #expect(mixed([1], .mono, .stereo) == [1, 1])
    #expect(ChannelMix(surround, to: surround).isIdentity)
  }

  @Test("mono to eight channels and back is what it was")
  func monoToEight() throws {
    var up = try Converter(fromRate: 44100, channels: 1, toRate: 48000, channels: .count(8))
    var down = try Converter(fromRate: 48000, channels: 8, toRate: 44100, channels: .mono)
    let input = Self.sine(1000, rate: 44100, frames: 44100)
    let eight = try Self.convert(input, &up, channels: 1, piece: 441)
    #expect(eight.count == 48000 * 8)
    let output = try Self.convert(eight, &down, channels: 8, piece: 480)
    #expect(output.count == 44100)
    let rest = zip(input, output)[10_000..<30_000].map { Double($0 - $1) * Double($0 - $1) }
    #expect(10 * log10(rest.reduce(0, +) / Double(rest.count) / 0.125) < -100)
  }

  @Test("does not drift in ten minutes")
  func drift() throws {
    var converter = try Converter(fromRate: 44100, channels: 1, toRate: 16000, channels: .mono)
    var made = 0
    let second = Self.sine(441, rate: 44100, frames: 44100)
    try second.withUnsafeBufferPointer { second in
      for index in 1...600 {
        try converter.process(second) { made += $0.count }
        // What is on its way is a delay, and never grows.
        #expect((0...2000).contains(index * 16000 - made))
      }
    }
    try converter.flush { made += $0.count }
    #expect(made == 600 * 16000)
  }
}

extension Zip2Sequence {
  fileprivate subscript(range: Range<Int>) -> [Element] {
    Array(dropFirst(range.lowerBound).prefix(range.count))
  }
}
