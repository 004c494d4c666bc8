import AudioSession
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// Zeros amid sound that are too long for lost cycles, on PipeWire.
@Suite("Long zeros amid sound", .graphCards, .soundFiles, .timeLimit(.minutes(10)))
struct LongZerosTests {
  /// Records a microphone that has a tone, does something after three seconds, and looks at what was
  /// recorded and listed.
  private func record(
    _ act: @Sendable (Rig, AudioRecorder) async throws -> Void,
    then check: @Sendable (RecordingProgress, _ list: String?) -> Void
  ) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=usb-mic"], on: .pipewire))
    try await Rig.with(configuration, expectsWrongRate: true) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = ["alsa_input.usb-*"]
      try await rig.session.setAudioMode(mode)
      let folder = TemporaryFolder()
      let recorder = AudioRecorder(session: rig.session)
      try await recorder.start(folder.path + "/a.wav")
      try await wait(.seconds(3), recorder)
      #expect(await recorder.progress.highestPeak > 0.1)
      try await act(rig, recorder)
      // Zeros are listed two seconds after their end.
      try await wait(.seconds(4), recorder)
      check(try await recorder.stop(), folder.text("a.wav.json"))
    }
  }

  /// Waits until a recording is longer by a time.
  private func wait(_ time: Duration, _ recorder: AudioRecorder) async throws {
    let end = await recorder.progress.duration + time
    try #require(
      await eventually(within: .seconds(60)) { await recorder.progress.duration > end })
  }

  @Test("are listed where the hardware stood still: the server fills its time with zeros")
  func standstill() async throws {
    try await record { rig, recorder in
      try await rig.sandbox.freeze(.simulatedCards)
      try await Task.sleep(for: .milliseconds(800))  // the length of the stop is what is tested
      try await rig.sandbox.thaw(.simulatedCards)
    } then: { progress, list in
      let longest = progress.zeros.map(\.frames).max() ?? 0
      #expect(longest > progress.sampleRate / 2, "\(progress.zeros), \(progress.missing)")
      #expect(list == Sidecar.text(progress))
    }
  }

  @Test(
    "are not where the server reported a mute, of the device or of the recording",
    arguments: ["set-source-mute @DEFAULT_SOURCE@", "set-source-output-mute ID"])
  func muted(_ request: String) async throws {
    try await record { rig, recorder in
      for isMuted in [true, false] {
        let result = try await rig.sandbox.capture([
          "sh", "-c",
          "ID=$(pactl list short source-outputs | head -n 1 | cut -f 1); "
            + "pactl \(request.replacing("ID", with: "$ID")) \(isMuted ? 1 : 0)",
        ])
        try #require(result.status == 0, "\(result.standardError)")
        #expect(
          await eventually(within: .seconds(60)) {
            let peak = await recorder.progress.peak
            return isMuted ? peak == 0 : peak > 0.1
          })
        try await Task.sleep(for: .milliseconds(800))  // longer than cycles that count as lost
      }
    } then: { progress, _ in
      #expect(progress.zeros == [])
    }
  }
}
