import AudioSession
import PulseSandbox
import PulseTypes
import Testing

@testable import AudioStreams

@Suite("A capture", .server)
struct CaptureTests {
  @Test("of a 48 kHz stereo device, as 16 kHz mono in buffers of 2048 frames")
  func captures() async throws {
    try await Rig.with(.tone(rate: 48000, channels: 2, frequency: 1000)) { rig in
      let capture = rig.capture
      #expect(await capture.status == .notInitialized)
      let buffers = try await capture.startAudioStream(CaptureConfiguration(device: "tone.monitor"))
      #expect(await capture.isStreaming)
      #expect(await capture.tapFormat?.sampleRate == 48000)
      #expect(await capture.tapFormat?.channels == 2)
      let sound = await rig.collect(buffers, frames: 2048 * 10)
      #expect(sound.buffers.allSatisfy { $0.frameLength == 2048 && $0.sampleRate == 16000 })
      #expect(sound.lost == 0)
      let tone = Tone(Array(sound.samples.dropFirst(2048)), rate: 16000, near: 1000)
      #expect(abs(tone.frequency - 1000) < 0.1)
      await capture.stopAudioStream()
      #expect(await capture.status == .ready)
    }
  }
}

/// A private server, a session on it and a capture.
struct Rig {
  let sandbox: PulseSandbox
  let session: AudioSession
  let capture: AudioCapture

  static func with(
    _ configuration: SandboxConfiguration, isHolding: Bool = true,
    _ body: (Rig) async throws -> Void
  ) async throws {
    try await PulseSandbox.with(configuration) { sandbox in
      let session = AudioSession(
        server: sandbox.address,
        configuration: SessionConfiguration(
          timeout: .seconds(20), storeFolder: sandbox.directory + "/store", isHolding: isHolding))
      let rig = Rig(sandbox: sandbox, session: session, capture: AudioCapture(session: session))
      do {
        try await body(rig)
      } catch {
        await rig.close()
        throw error
      }
      await rig.close()
    }
  }

  private func close() async {
    await capture.stopAudioStream()
    await session.close()
  }

  struct Sound {
    var buffers: [CaptureBuffer] = []
    var samples: [Float] { buffers.flatMap(\.samples) }
    var lost: Int { buffers.reduce(0) { $0 + $1.lostFrames } }
  }

  /// Reads buffers until there are so many frames, or no more.
  func collect(_ buffers: CaptureBuffers, frames: Int) async -> Sound {
    var sound = Sound()
    var count = 0
    for await buffer in buffers {
      sound.buffers.append(buffer)
      count += buffer.frameLength
      if count >= frames { break }
    }
    return sound
  }
}
