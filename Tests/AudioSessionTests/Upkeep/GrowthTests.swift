import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

/// In a process of their own: the other tests' descriptors and threads come and go.
@Suite("Nothing grows", .timeLimit(.minutes(10)))
struct GrowthTests {
  @Test("descriptors and threads are as before after many cycles", .server)
  func cycles() async {
    await #expect(processExitsWith: .success) {
      try await Rig.with(.minimal) { rig in
        var mode = AudioMode(category: .record)
        mode.channelMap = .swap
        mode.ioBufferDuration = .milliseconds(10)
        mode.inputGain = Volume(fraction: 0.5)
        for _ in 0..<5 {
          try await rig.session.setAudioMode(mode)
          try await rig.session.revert()
          try await Self.connectAndClose(rig)
        }
        let before = OwnProcess()
        for _ in 0..<50 {
          try await rig.session.setAudioMode(mode)
          try await rig.session.revert()
        }
        for _ in 0..<20 { try await Self.connectAndClose(rig) }
        try await OwnProcess.settle(at: before)
      }
    }
  }

  /// With and without a close.
  private static func connectAndClose(_ rig: Rig) async throws {
    let session = Rig.session(rig.sandbox)
    _ = try await session.snapshot()
    await session.close()
    _ = try await Rig.session(rig.sandbox).getSessionState()
  }
}

/// What this process has open.
private struct OwnProcess {
  let descriptors: Int
  let threads: Int

  init() {
    descriptors = Folder.names("/proc/self/fd").count
    threads = Folder.names("/proc/self/task").count
  }

  /// A thread ends a moment after the loop that it ran. The pools of the runtime grow by some where
  /// the machine is busy, and it opens a timer for each clock when that is first used, as the pauses
  /// here do; what each of the seventy cycles left behind would be many more.
  static func settle(at before: OwnProcess) async throws {
    let deadline = ContinuousClock.now + .seconds(10)
    var (now, pauses) = (OwnProcess(), Pauses())
    while now.descriptors > before.descriptors + 8 || now.threads > before.threads + 8 {
      guard ContinuousClock.now < deadline else {
        throw Growth(before: before, now: now)
      }
      try await pauses.pass()
      now = OwnProcess()
    }
  }

  struct Growth: Error { let before, now: OwnProcess }
}
