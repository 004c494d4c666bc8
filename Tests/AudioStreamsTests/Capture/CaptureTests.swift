import AudioSession
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("A capture", .server, .timeLimit(.minutes(10)))
struct CaptureTests {
  @Test("of a 48 kHz stereo device, as 16 kHz mono in buffers of 2048 frames")
  func captures() async throws {
    try await Rig.with(.tone(rate: 48000, channels: 2, frequency: 1000)) { rig in
      let capture = rig.capture
      #expect(await capture.status == .notInitialized)
      let buffers = try await capture.start(
        CaptureConfiguration(device: "tone.monitor", backlog: .seconds(60)))
      #expect(await capture.isStreaming)
      #expect(await capture.tapFormat?.sampleRate == 48000)
      #expect(await capture.tapFormat?.channels == 2)
      let sound = await rig.collect(buffers, frames: 2048 * 10)
      #expect(sound.buffers.allSatisfy { $0.frameLength == 2048 && $0.sampleRate == 16000 })
      #expect(sound.lost == 0)
      sound.expectTrueTime()
      let tone = Tone(Array(sound.samples.dropFirst(2048)), rate: 16000, near: 1000)
      #expect(abs(tone.frequency - 1000) < 0.1)
      await capture.stop()
      #expect(await capture.status == .ready)
    }
  }

  @Test("of a batch device, whose position moves by whole periods", .simulatedCard)
  func batch() async throws {
    let cards = try #require(SandboxConfiguration.simulatedCards(["kind=usb-mic batch=25"]))
    try await Rig.with(cards) { rig in
      let buffers = try await rig.capture.start(
        CaptureConfiguration(
          frameLength: 160, device: "alsa_input.usb-Example_USB_Microphone-00.analog-stereo",
          backlog: .seconds(60)))
      // So long that the audio thread's own check of the rate counts.
      let sound = await rig.collect(buffers, frames: 48_000)
      #expect(sound.lost == 0, "\(sound.missing)")
      sound.expectTrueTime()
    }
  }
}
