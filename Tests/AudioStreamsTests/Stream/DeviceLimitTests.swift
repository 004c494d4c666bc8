import AudioSession
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// What a device cannot give it cannot give either while the session's own capture runs on it.
@Suite(
  "What a device cannot give, with a capture of its own", .bothServers, .timeLimit(.minutes(10)))
struct DeviceLimitTests {
  /// A microphone with a limit, and a preference beyond it.
  struct Limit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let card: String
    var server = ServerKind.pulseaudio
    var property = Property.sampleRate

    static let all = [
      Limit(testDescription: "a rate of PulseAudio's", card: "kind=usb-mic rates=44100,48000"),
      Limit(testDescription: "a rate of PulseAudio's only one", card: "kind=usb-mic rates=44100"),
      Limit(
        testDescription: "a rate of PipeWire's", card: "kind=usb-mic rate=44100", server: .pipewire),
      Limit(
        testDescription: "a fixed latency", card: "kind=usb-mic fixed_latency=100",
        property: .ioBufferDuration),
      Limit(
        testDescription: "a higher minimum", card: "kind=usb-mic min_latency=50",
        property: .ioBufferDuration),
    ]

    var mode: AudioMode {
      var mode = AudioMode(category: .record)
      mode.preferredInput = ["alsa_input.usb-*"]
      if property == .sampleRate { mode.sampleRate = 96000 }
      if property == .ioBufferDuration { mode.ioBufferDuration = .milliseconds(10) }
      return mode
    }
  }

  @Test("stays unreachable, for the same reason, while it captures and after", arguments: Limit.all)
  func captured(_ limit: Limit) async throws {
    let machine = try #require(SandboxConfiguration.simulatedCards([limit.card], on: limit.server))
    try await Rig.with(machine) { rig in
      let applied = try await rig.session.setAudioMode(limit.mode).state
      let before = try #require(applied.properties[limit.property])
      #expect(before.verdict == .unreachable, "\(before)")
      let states = rig.session.stateUpdates
      let seen = Task {
        var seen: Set<String> = []
        for await state in states {
          let report = state.properties[limit.property]
          seen.insert("\(report?.verdict.rawValue ?? "none"): \(report?.reason ?? "")")
        }
        return seen
      }
      func expectSame(_ moment: String) async throws {
        let now = try await rig.session.getSessionState().properties[limit.property]
        #expect(now?.verdict == .unreachable, "\(moment): \(String(describing: now))")
        #expect(now?.reason == before.reason, "\(moment)")
      }
      let buffers = try await rig.capture.start()
      _ = await rig.collect(buffers, frames: 2048 * 4)
      try await expectSame("during")
      // Asked for again it is no more than it was.
      let again = try await rig.session.setAudioMode(limit.mode).state
      #expect(again.properties[limit.property]?.verdict == .unreachable)
      await rig.capture.stop()
      try await expectSame("after")
      await rig.session.close()
      #expect(await seen.value.subtracting(["unreachable: \(before.reason ?? "")"]) == [])
    }
  }
}
