import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// A command and a holder of different versions.
@Suite("Orders of other versions", .server, .timeLimit(.minutes(10)))
struct OrderVersionTests {
  @Test("a holder refuses a later one clearly, and keeps its mode")
  func later() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode(category: .record)
      mode.inputGain = Volume(fraction: 0.3)
      try await rig.session.setAudioMode(mode)
      mode.inputGain = Volume(fraction: 0.6)
      let store = SessionStore(
        folder: rig.sandbox.directory + "/store", server: .init(rig.sandbox.address))
      let order = Order(
        kind: .apply(mode, profile: nil), number: store.nextOrderNumber(), process: getpid(),
        holder: getpid(), timeout: .seconds(20))
      let text = order.text.replacing("version = 1", with: "version = 2")
      try store.files.write(Array(text.utf8), to: .order)
      let deadline = ContinuousClock.now + .seconds(20)
      while store.answer()?.number != order.number, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(2))
      }
      let answer = store.answer()
      store.takeBackOrder()
      #expect(answer?.error?.code == .refused)
      #expect(answer?.error?.message.contains("earlier version") == true)
      let gain = try await rig.outside.snapshot().device(.input, named: "mic")?.volume.loudest
      #expect(gain == Volume(fraction: 0.3))
    }
  }
}
