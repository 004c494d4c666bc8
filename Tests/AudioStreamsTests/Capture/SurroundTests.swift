import AudioSession
import Glibc
import POSIX
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("Sound in more than two channels", .server, .soundFiles, .timeLimit(.minutes(10)))
struct SurroundTests {
  private static let map = ChannelMap([
    .frontLeft, .frontRight, .rearLeft, .rearRight, .frontCenter, .lfe,
  ])

  /// Plays a file; the channels of the output in which it is heard.
  static func heard(_ path: String, channels: Int, _ rig: Rig) async throws -> [Int] {
    let buffers = try await rig.capture.start(
      CaptureConfiguration(
        sampleRate: nil, frameLength: 441, channels: .device, device: "speakers.monitor",
        backlog: .seconds(60)))
    _ = await rig.collect(buffers, frames: 4410)
    try await AudioPlayer(session: rig.session).play(path)
    await rig.capture.stop()
    var peaks = [Float](repeating: 0, count: channels)
    for await buffer in buffers {
      for index in 0..<channels {
        peaks[index] = max(peaks[index], buffer.levels(channel: index).peak)
      }
    }
    return peaks.indices.filter { peaks[$0] > 0.01 }
  }

  @Test(
    "is played where it was recorded, from any file", arguments: RecordingFormat.allCases,
    [false, true])
  func recorded(_ format: RecordingFormat, throughPipe: Bool) async throws {
    let speakers = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100 channels=6 channel_map=\(Self.map)"
    ])
    try await Rig.with(speakers) { rig in
      let folder = TemporaryFolder()
      let (path, pipe) = (folder.path + "/a", folder.path + "/pipe")
      let tone = try await TonePlayer(
        [.init(seconds: 60, from: 1000, to: 1000, amplitude: 0.5, channels: [2])],
        server: rig.session.address, device: "speakers")
      #expect(mkfifo(pipe, 0o600) == 0)
      let reading =
        throughPipe ? Task { try await rig.sandbox.capture(["cp", pipe, path]) } : nil
      let recorder = rig.recorder()
      try await recorder.start(
        throughPipe ? pipe : path,
        configuration: RecordingConfiguration(
          format: format, duration: .milliseconds(500), device: "speakers.monitor"))
      try await recorder.finished()
      if let reading { #expect(try await reading.value.status == 0) }
      await tone.close()
      #expect(try await Self.heard(path, channels: 6, rig) == [2])
    }
  }

  @Test(
    "is played on the outputs of the same numbers if nothing names its channels",
    arguments: [
      (16, ChannelMap((0..<16).map { ChannelPosition(rawValue: "aux\($0)")! }), [9]),
      (10, ChannelMap([.frontLeft, .frontRight, .rearLeft, .rearRight, .frontCenter, .lfe]), [3]),
      (16, .stereo, [1]),
      (9, .mono, [0]),
    ])
  func unnamed(_ channels: Int, _ map: ChannelMap, _ outputs: [Int]) async throws {
    let speakers = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100 channels=\(map.count) channel_map=\(map)"
    ])
    try await Rig.with(speakers) { rig in
      let folder = TemporaryFolder()
      let path = folder.path + "/wide.wav"
      try WaveFile(
        channels: channels, rate: 44100, frames: 13230, loud: min(9, channels - 1)
      ).write(to: path)
      #expect(try await Self.heard(path, channels: map.count, rig) == outputs)
    }
  }

  /// What a file has of a frame with the samples 1, 2, ... of 8, and the names that it gives them.
  private func written(
    _ positions: [ChannelPosition], _ format: RecordingFormat
  ) throws -> (samples: [Float], names: ChannelMap?, kind: [UInt8]) {
    let folder = TemporaryFolder()
    let path = folder.path + "/a"
    let writer = try SoundFileWriter(
      path: path, format: format, sampleRate: 8000, channels: positions.count,
      channelMap: ChannelMap(positions))
    try writer.write(positions.indices.map { Float($0 + 1) / 8 })
    try writer.close()
    let reader = try SoundFileReader(path: path)
    let samples = try reader.read(frames: 1).map { ($0 * 8).rounded() }
    return (samples, reader.channelMap, Array(try File.bytes(of: path)[20..<22]))
  }

  @Test("is in the order of its file, with names in a WAV", arguments: RecordingFormat.allCases)
  func order(_ format: RecordingFormat) throws {
    let surround = try written(Self.map.positions, format)
    #expect(surround.samples == [1, 2, 5, 6, 3, 4])
    #expect(surround.names == .inWAV(6))
    let sides: [ChannelPosition] = [.sideLeft, .sideRight, .frontLeft, .frontRight]
    #expect(try written(sides, format).samples == [3, 4, 1, 2])
    let isNamed: [UInt8] = [0xFE, 0xFF]
    #expect(format.isFLAC || surround.kind == isNamed)
    // FLAC's three channels are others.
    let low: [ChannelPosition] = [.lfe, .frontLeft, .frontRight]
    #expect(try written(low, format).samples == (format.isFLAC ? [1, 2, 3] : [2, 3, 1]))
    let unknown: [[ChannelPosition]] = [
      [.mono], [.frontRight, .frontLeft], [.aux2, .aux1, .aux0],
      [.frontCenter, .frontLeft, .frontLeft], [.rearLeft, .aux0, .frontLeft],
    ]
    for positions in unknown {
      let file = try written(positions, format)
      #expect(file.samples == positions.indices.map { Float($0 + 1) }, "\(positions)")
      #expect(format.isFLAC || file.kind != isNamed, "\(positions)")
    }
  }

  @Test("has as many names as channels")
  func otherCount() {
    let error = #expect(throws: StreamError.self) {
      try SoundFileWriter(
        path: "/nonexistent/a.wav", sampleRate: 8000, channels: 3, channelMap: .stereo)
    }
    #expect(error?.code == .invalidFormat)
  }
}
