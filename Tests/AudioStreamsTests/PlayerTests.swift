import AudioSession
import Glibc
import PulseSandbox
import Testing

@testable import AudioStreams

@Suite("The player", .server, .soundFiles, .timeLimit(.minutes(1)))
struct PlayerTests {
  /// A file with another rate and other channels than the device's.
  private func file(_ folder: Folder, seconds: Double) throws -> String {
    let path = folder.path + "/a.wav"
    let writer = try SoundFileWriter(
      path: path, format: .wavFloat, sampleRate: 32000, channels: 1)
    let tone = ConverterTests.sine(1000, rate: 32000, frames: Int(32000 * seconds))
    try tone.withUnsafeBufferPointer { try writer.write($0) }
    try writer.close()
    return path
  }

  @Test("is heard as the file says: pitch, level, length")
  func plays() async throws {
    // A sink that takes sound back gives its monitor some of it twice.
    let speakers = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100 norewinds=1"
    ])
    try await Rig.with(speakers) { rig in
      let folder = Folder()
      let path = try file(folder, seconds: 1.5)
      // A machine that stands still longer than the buffer is heard.
      for round in 1...8 {
        let samples = try await played(path, rig)
        let heard = samples.indices.filter { abs(samples[$0]) > 0.01 }
        let (first, last) = (try #require(heard.first), try #require(heard.last))
        let length = Double(last - first) / 44100
        let part = samples[(first + 2000)..<min(first + 46100, samples.count)]
        let tone = Tone(Array(part), rate: 44100, near: 1000)
        if abs(length - 1.5) < 0.01, abs(tone.frequency - 1000) < 0.1,
          abs(20 * log10(tone.amplitude / 0.5)) < 0.1
        {
          break
        }
        #expect(round < 8, "\(length) s, \(tone)")
      }
    }
  }

  /// Plays a file; what is heard of it.
  private func played(_ path: String, _ rig: Rig) async throws -> [Float] {
    let buffers = try await rig.capture.startAudioStream(
      CaptureConfiguration(
        sampleRate: 44100, frameLength: 441, device: "speakers.monitor", backlog: .seconds(60)))
    _ = await rig.collect(buffers, frames: 4410)
    let player = AudioPlayer(session: rig.session)
    try await player.play(path)
    #expect(await player.progress == nil)
    // What was played is heard before the end of the file's time and the device's buffer.
    await rig.capture.stopAudioStream()
    var samples: [Float] = []
    for await buffer in buffers { samples += buffer.samples }
    return samples
  }

  @Test("stops when its task is cancelled, and says why when the server goes")
  func ends() async throws {
    try await Rig.with(.monitorOnly) { rig in
      let folder = Folder()
      let path = try file(folder, seconds: 60)
      let player = AudioPlayer(session: rig.session)
      let cancelled = Task { try await player.play(path) }
      #expect(await eventually { await player.progress.map { $0.position > .zero } ?? false })
      await #expect { try await player.play(path) } throws: {
        ($0 as? StreamError)?.code == .alreadyStreaming
      }
      cancelled.cancel()
      #expect(try await cancelled.value < .seconds(60))
      let killed = Task { try await player.play(path) }
      #expect(await eventually { await player.progress.map { $0.position > .zero } ?? false })
      try await rig.sandbox.kill()
      await #expect { _ = try await killed.value } throws: {
        ($0 as? StreamError)?.code == .engineStartFailed
      }
      await #expect { try await player.play(folder.path + "/none") } throws: {
        ($0 as? StreamError)?.code == .fileNotFound
      }
    }
  }
}
