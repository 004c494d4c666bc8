import Glibc
import POSIX
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// A sound file may be anything: it is refused, or read to its end, and what was read can be measured.
@Suite("Hostile sound files", .soundFiles)
struct HostileSoundFileTests {
  /// A file with its header's numbers replaced by others, or cut off.
  private static func spoiled(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<random.pick([1, 1, 2, 5]) {
      let at = random.below(min(bytes.count - 4, 96))
      let number = random.pick(
        [0, 1, 33, 255, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFFE]
          as [UInt32])
      let count = random.pick([1, 2, 4])
      for part in 0..<count { bytes[at + part] = UInt8(truncatingIfNeeded: number >> (8 * part)) }
    }
    // Samples, too: NaN, infinities and what is far beyond full scale.
    if random.one(in: 3) {
      let bits = random.pick([Float.nan, .infinity, -.infinity, 1e30, -1e30]).bitPattern
      let at = bytes.count - 4 - random.below(200)
      for part in 0..<4 { bytes[at + part] = UInt8(truncatingIfNeeded: bits >> (8 * part)) }
    }
    return random.one(in: 10) ? Array(bytes.prefix(random.below(bytes.count))) : bytes
  }

  private func read(_ path: String) throws {
    let reader = try SoundFileReader(path: path)
    _ = Duration(saturatingSeconds: Double(reader.frames) / Double(reader.sampleRate))
    guard (1...32).contains(reader.channels) else { return }
    for _ in 0..<4 {
      let samples = try reader.read(frames: 512)
      guard !samples.isEmpty else { return }
      let levels = samples.withUnsafeBufferPointer {
        SignalLevel.measure($0, channels: reader.channels)
      }
      for level in levels { _ = (level.clipped, decibels(level.rms), level.loudness) }
      _ = Spectrum(samples, sampleRate: Double(reader.sampleRate), bands: 16)
    }
  }

  @Test("whatever a file holds, it is read or refused", arguments: RecordingFormat.allCases)
  func mutations(_ format: RecordingFormat) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a"
    let writer = try SoundFileWriter(path: path, format: format, sampleRate: 44100, channels: 2)
    let tone = ConverterTests.sine(440, rate: 44100, frames: 1000)
    try tone.withUnsafeBufferPointer { try writer.write($0) }
    try writer.close()
    let bytes = try #require(Self.bytes(path))
    var (random, read) = (SeededRandom(seed: 1), 0)
    for _ in 0..<HostileTexts.count(150) {
      Self.write(Self.spoiled(bytes, &random), path)
      do {
        try self.read(path)
        read += 1
      } catch is StreamError {}
    }
    #expect(read > 10)
  }

  @Test("a spectrum of any rate has its bands", arguments: [0, -1, .nan, .infinity, 1e300, 50])
  func rates(_ rate: Double) {
    #expect(Spectrum([0, 1, .nan], sampleRate: rate, bands: 8).bands.count == 8)
  }

  private static func bytes(_ path: String) -> [UInt8]? {
    try? File.bytes(of: path, atMost: 1 << 16)
  }

  private static func write(_ bytes: [UInt8], _ path: String) {
    try? File.write(bytes, to: path)
  }
}
