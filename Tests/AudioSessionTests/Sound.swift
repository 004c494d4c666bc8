import AudioSession
import Glibc
import PulseSandbox

/// Recorded sound, and how much of a tone is in it.
struct Sound {
  /// One list of samples a channel, -1 to 1.
  var channels: [[Double]]
  static let rate = 44100.0

  /// The amplitude of a tone in a channel (Goertzel's algorithm).
  func amplitude(of frequency: Double, in channel: Int) -> Double {
    let samples = channels[channel]
    let coefficient = 2 * cos(2 * Double.pi * frequency / Self.rate)
    var (s1, s2) = (0.0, 0.0)
    for sample in samples { (s1, s2) = (sample + coefficient * s1 - s2, s1) }
    let power = s1 * s1 + s2 * s2 - coefficient * s1 * s2
    return 2 * max(0, power).squareRoot() / Double(samples.count)
  }

  /// The tones of 440 and 880 Hz that are heard in a channel.
  func tones(in channel: Int) -> Set<Int> {
    Set([440, 880].filter { amplitude(of: Double($0), in: channel) > 0.05 })
  }
}

extension Rig {
  /// Records the session's default source by a program of its own, as any application would.
  func record(channels: Int) async throws -> Sound {
    let file = sandbox.directory + "/recorded.raw"
    // The first part of what an idle source gives may be old, so it is left out.
    let (skipped, kept) = (44100 / 2 * channels * 2, 44100 / 4 * channels * 2)
    let map = channels == 1 ? "mono" : "front-left,front-right"
    let command = """
      parec --raw --format=s16le --rate=44100 --channels=\(channels) --channel-map=\(map) \
      --latency-msec=20 | head -c \(skipped + kept) | tail -c \(kept) > \(file)
      """
    let result = try await sandbox.capture(["/bin/sh", "-c", command], timeout: .seconds(20))
    guard result.status == 0 else { throw RecordingFailure(message: result.standardError) }
    return Sound(channels: Self.samples(try Self.bytes(of: file), channels))
  }

  private static func samples(_ bytes: [UInt8], _ channels: Int) -> [[Double]] {
    var result = [[Double]](repeating: [], count: channels)
    for at in stride(from: 0, to: bytes.count - 1, by: 2) {
      let sample = Int16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8)
      result[(at / 2) % channels].append(Double(sample) / 32768)
    }
    return result
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw RecordingFailure(message: "no \(path)") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
  }
}

struct RecordingFailure: Error { let message: String }
