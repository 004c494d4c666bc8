import AudioSession
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// A hint that the server does not answer delays nothing else, and is requested again.
@Suite("A hint that stalls", .graphCards, .timeLimit(.minutes(10)))
struct LateHintTests {
  /// Waits until the device has answered; null devices of PipeWire 1.4 stay at 48000 Hz. The suite's time
  /// limit is the deadline.
  private static func awaitRate(_ session: AudioSession) async throws {
    while true {
      let verdict = try await session.getSessionState().properties[.sampleRate]?.verdict
      if verdict == .applied || verdict == .unreachable { return }
      try await session.sleep(until: .now + .milliseconds(20))
    }
  }

  @Test("the mode is applied without it, and it follows when the server answers")
  func stalls() async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { sandbox in
      let session = Rig.session(sandbox, timeout: .seconds(20))
      var mode = AudioMode()
      mode.category = .record
      mode.inputGain = Volume(fraction: 0.4)
      try await session.setAudioMode(mode)
      // Without WirePlumber's answers a stream is never connected; volumes need none.
      try await sandbox.freeze(.wireplumber)
      mode.inputGain = Volume(fraction: 0.3)
      mode.sampleRate = 44100
      let start = ContinuousClock.now
      try await session.setAudioMode(mode)
      // A hint's own limit; the change has 14 s.
      #expect(ContinuousClock.now - start < .seconds(2) + Rig.standstill)
      let volume = try await session.snapshot().device(.input, named: "mic")?.volume
      #expect(volume?.loudest == Volume(fraction: 0.3))
      try await sandbox.thaw(.wireplumber)
      try await Self.awaitRate(session)
      await session.close()
    }
  }

  @Test("several that stall do not take the time of the rest")
  func severalStall() async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { sandbox in
      let session = Rig.session(sandbox, timeout: .seconds(5))
      var mode = AudioMode()
      mode.category = .playAndRecord
      mode.inputGain = Volume(fraction: 0.4)
      try await session.setAudioMode(mode)
      try await sandbox.freeze(.wireplumber)
      mode.inputGain = Volume(fraction: 0.3)
      // A rate and a buffer for the input, and for the output.
      mode.sampleRate = 44100
      mode.ioBufferDuration = .milliseconds(20)
      let report = try await patiently { () throws(SessionError) in
        try await session.setAudioMode(mode)
      }
      #expect(report.state.properties[.inputGain]?.verdict == .applied)
      try await sandbox.thaw(.wireplumber)
      try await Self.awaitRate(session)
      await session.close()
    }
  }
}
