import AudioSession
import Glibc
import POSIX
import PulseSandbox
import TestSupport

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
    do { return try File.bytes(of: path, atMost: 1 << 20) } catch {
      throw RecordingFailure(message: "\(path): \(error)")
    }
  }
}

struct RecordingFailure: Error { let message: String }

extension Rig {
  /// Plays bursts of noise to the default sink; what is left of it in the default source, as a part
  /// of what the microphone `mic` hears. The first second is left out: the canceller learns.
  func echoLeft(seconds: Int) async throws -> Double {
    let (kept, skipped) = (48000 * 2 * (seconds - 1), 48000 * 2)
    let record = "parec --raw --format=s16le --rate=48000 --channels=1 --latency-msec=20"
    let keep = "head -c \(skipped + kept) | tail -c \(kept)"
    // Noise of a fixed sequence, at a third of the full scale, silent a quarter of each second.
    let noise = """
      BEGIN { srand(1); for (i = 0; i < 48000 * \(seconds + 2); i++) {
        v = (int(i / 12000) % 4 == 3) ? 0 : int((rand() - 0.5) * 20000); if (v < 0) v += 65536
        printf "%c%c", v % 256, int(v / 256) } }
      """
    let command = """
      cd \(sandbox.directory); LC_ALL=C mawk '\(noise)' > noise.raw
      paplay --raw --format=s16le --rate=48000 --channels=1 noise.raw & player=$!
      \(record) -d mic | \(keep) > heard.raw & hearer=$!
      \(record) | \(keep) > cleaned.raw; wait $hearer; kill $player
      """
    _ = try await sandbox.capture(["/bin/sh", "-c", command], timeout: .seconds(40))
    let heard = try Self.power(of: sandbox.directory + "/heard.raw")
    guard heard > 0.0001 else { throw RecordingFailure(message: "the microphone hears nothing") }
    return (try Self.power(of: sandbox.directory + "/cleaned.raw") / heard).squareRoot()
  }

  /// Lets somebody speak in a room, which is a sink; what is left of it in the default source, as a part
  /// of what the microphone `mic` hears.
  func voiceLeft(room: String, seconds: Int) async throws -> Double {
    let (kept, skipped) = (48000 * 2 * (seconds - 1), 48000 * 2)
    let record = "parec --raw --format=s16le --rate=48000 --channels=1 --latency-msec=20"
    let keep = "head -c \(skipped + kept) | tail -c \(kept)"
    // Syllables of a gliding pitch with its overtones.
    let voice = """
      BEGIN { for (i = 0; i < 48000 * \(seconds + 2); i++) {
        t = i / 48000; at = (t % 0.35) / 0.21; rise = at < 1 ? sin(3.14159 * at) : 0
        phase += 6.28319 * (120 + 40 * sin(4.4 * t)) / 48000; v = 0
        for (k = 1; k < 9; k++) v += sin(k * phase) / k
        v = int(3000 * rise * v); if (v < 0) v += 65536; printf "%c%c", v % 256, int(v / 256) } }
      """
    let command = """
      cd \(sandbox.directory); LC_ALL=C mawk '\(voice)' > voice.raw
      pacat -d \(room) --raw --format=s16le --rate=48000 --channels=1 voice.raw & player=$!
      \(record) -d mic | \(keep) > spoken.raw & hearer=$!
      \(record) | \(keep) > passed.raw; wait $hearer; kill $player
      """
    _ = try await sandbox.capture(["/bin/sh", "-c", command], timeout: .seconds(40))
    let spoken = try Self.power(of: sandbox.directory + "/spoken.raw")
    guard spoken > 0.00001 else { throw RecordingFailure(message: "nobody is heard") }
    return (try Self.power(of: sandbox.directory + "/passed.raw") / spoken).squareRoot()
  }

  private static func power(of path: String) throws -> Double {
    let samples = samples(try bytes(of: path), 1)[0]
    guard !samples.isEmpty else { throw RecordingFailure(message: "nothing in \(path)") }
    return samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)
  }
}

extension Rig {
  /// What a program of which nothing is taken is heard with, as a part of what it was heard with before.
  static let untreated = 0.7...1.5

  /// How loud a program that plays noise is heard at the output `speakers`, of full scale or as a part of
  /// what it was heard with before.
  ///
  /// Measured again where it is not as expected: on a busy machine a program is heard, and treated,
  /// later than the second that is left out.
  func loudness(
    role: String? = nil, beside before: Double = 1, expecting range: ClosedRange<Double>
  ) async throws -> Double {
    var ratio = try await loudness(role: role) / before
    for number in 1...2 where !range.contains(ratio) {
      noteTry(number, of: 2)
      ratio = try await loudness(role: role) / before
    }
    return ratio
  }

  /// How loud a program is heard while nothing is taken of it.
  func fullLoudness() async throws -> Double { try await loudness(expecting: 0.4...0.7) }

  private func loudness(role: String?) async throws -> Double {
    let (skipped, kept) = (44100 * 2, 44100)
    let command = """
      cd \(sandbox.directory); head -c 1000000 /dev/urandom > loud.raw
      \(role.map { "export PULSE_PROP=media.role=\($0)" } ?? ":")
      paplay --raw --format=s16le --rate=44100 --channels=1 loud.raw & player=$!
      until pactl list sink-inputs | grep -q 'process.id = "'$player'"'
      do kill -0 $player || exit; sleep 0.02; done
      parec --raw --format=s16le --rate=44100 --channels=1 --latency-msec=20 -d speakers.monitor \
      | head -c \(skipped + kept) | tail -c \(kept) > heard.raw
      pactl list sink-inputs > players.txt; kill $player
      """
    _ = try await sandbox.capture(["/bin/sh", "-c", command], timeout: .seconds(20))
    return try Self.power(of: sandbox.directory + "/heard.raw").squareRoot()
  }

  /// The streams that played when the loudness was last measured, for a failure's words.
  var players: String {
    let bytes = try? Self.bytes(of: sandbox.directory + "/players.txt")
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? "unknown"
  }
}
