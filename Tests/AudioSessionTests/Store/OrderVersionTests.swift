import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// A command and a holder of different versions.
@Suite("Orders of other versions", .server, .timeLimit(.minutes(1)))
struct OrderVersionTests {
  /// What a holder answers to an order whose text is changed.
  private func expect(
    _ change: (String) -> String, _ check: (Answer?, Volume?) -> Void
  ) async throws {
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
      try store.files.write(Array(change(order.text).utf8), to: .order)
      let deadline = ContinuousClock.now + .seconds(20)
      while store.answer()?.number != order.number, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(2))
      }
      let answer = store.answer()
      store.takeBackOrder()
      check(answer, try await rig.outside.snapshot().device(.input, named: "mic")?.volume.loudest)
    }
  }

  @Test("a holder refuses a later one clearly, and keeps its mode")
  func later() async throws {
    try await expect {
      $0.replacing("version = 1", with: "version = 2")
    } _: { answer, gain in
      #expect(answer?.error?.code == .refused)
      #expect(answer?.error?.message.contains("earlier version") == true)
      #expect(gain == Volume(fraction: 0.3))
    }
  }

  @Test("a holder carries out one of an earlier version")
  func earlier() async throws {
    try await expect { text in
      text.split(separator: "\n").filter { !$0.hasPrefix("version") && !$0.hasPrefix("holder") }
        .joined(separator: "\n")
    } _: { answer, gain in
      #expect(answer?.error == nil && answer?.report != nil)
      #expect(gain == Volume(fraction: 0.6))
    }
  }
}
