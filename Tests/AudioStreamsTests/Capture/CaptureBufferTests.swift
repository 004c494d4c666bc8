import AudioSession
import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("What a captured buffer says of itself", .server, .timeLimit(.minutes(10)))
struct CaptureBufferTests {
  private static var sinceEpoch: Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test("the day and the time, and that it is loud enough for a voice")
  func voice() async throws {
    try await Rig.with(.tone()) { rig in
      let start = Self.sinceEpoch
      let buffers = try await rig.capture.start(
        CaptureConfiguration(device: "tone.monitor"))
      let sound = await rig.collect(buffers, frames: 2048 * 6)
      let end = Self.sinceEpoch
      sound.expectTrueTime()
      for buffer in sound.buffers.dropFirst() {
        #expect(buffer.epochTime > start - .seconds(1) && buffer.epochTime < end)
        #expect(buffer.isVoiceActive)
      }
      let offsets = sound.buffers.map { $0.epochTime - $0.hostTime }
      #expect(offsets.allSatisfy { abs(($0 - offsets[0]).seconds) < 0.1 }, "\(offsets)")
    }
  }

  @Test("silence is no voice, and a threshold decides what is one")
  func silence() async throws {
    var configuration = SandboxConfiguration.tone()
    configuration.modules.append("module-null-sink sink_name=silent")
    try await Rig.with(configuration) { rig in
      // The tone has at most 0 dBFS as a peak, so at most -3 as RMS.
      for (device, threshold) in [("tone.monitor", -1.0), ("silent.monitor", -120)] {
        let buffers = try await rig.capture.start(
          CaptureConfiguration(device: device, voiceThreshold: threshold))
        let sound = await rig.collect(buffers, frames: 2048 * 4)
        #expect(sound.buffers.allSatisfy { !$0.isVoiceActive }, "\(device)")
        await rig.capture.stop()
      }
      for threshold in [1, -121, .nan, .infinity] {
        await #expect {
          try await rig.capture.start(CaptureConfiguration(voiceThreshold: threshold))
        } throws: {
          ($0 as? StreamError)?.code == .invalidFormat
        }
      }
    }
  }

  @Test("a DC offset and NaN are no sound")
  func offset() {
    func buffer(_ samples: [Float]) -> CaptureBuffer {
      CaptureBuffer(
        samples: samples, channels: 2, sampleRate: 16000, position: 0, hostTime: .zero, device: nil,
        missing: [])
    }
    #expect(buffer([0.5, 0, 0.5, 0, 0.5, 0]).loudness < 1e-6)
    #expect(abs(buffer([0, 0.5, 0, -0.5]).loudness - 0.5) < 1e-6)
    #expect(!(buffer([.nan, .nan]).loudness > 0))
    #expect(buffer([]).loudness == 0)
  }

  @Test("one call stops the capture and gives the setup back")
  func deactivates() async throws {
    try await Rig.with(.sources) { rig in
      let before = try await rig.session.snapshot().server.defaultSourceName
      let other = before == "one" ? "two" : "one"
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(other)]
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.session.snapshot().server.defaultSourceName == other)
      let buffers = try await rig.capture.start()
      _ = await rig.collect(buffers, frames: 2048)
      try await rig.capture.stopAndDeactivateSession()
      #expect(await rig.capture.status == .ready)
      for await _ in buffers {}
      #expect(try await rig.session.snapshot().server.defaultSourceName == before)
      // The server may not have noticed the end of the capture's connection.
      let session = rig.session
      #expect(await eventually { (try? await session.snapshot().sourceOutputs.isEmpty) == true })
      #expect(try await rig.session.getSessionState().active == false)
    }
  }
}
