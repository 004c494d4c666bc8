import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import SessionCore
import TestSupport
import Testing

/// In a process of its own: the other tests need the threads that it takes.
@Suite("A program that keeps all of Swift's threads busy", .timeLimit(.minutes(10)))
struct BusyPoolTests {
  @Test("a foreign default is put back all the same", .server)
  func heals() async {
    await #expect(processExitsWith: .success) {
      try await Rig.with(.minimal) { rig in
        var mode = AudioMode(category: .record)
        mode.preferredInput = [.name("mic")]
        try await rig.session.setAudioMode(mode)
        let pool = try BusyPool()
        // A second time, too: nothing that the first one began waits for the pool.
        let hasHealed = try await Onlooker(rig.outside).sees(pool, "speakers.monitor", times: 3)
        #expect(hasHealed)
      }
    }
  }
}

/// Swift's threads, kept waiting for the end of a pipe, for 20 s at most.
private final class BusyPool: Sendable {
  private let pipe: (end: Int32, start: Int32)
  private let waiting = Guarded(0)
  private let tired = Guarded(0)

  /// How many wait.
  var count: Int { waiting.withLock { $0 } }
  /// Whether one of them has given up.
  var hasEnded: Bool { tired.withLock { $0 } > 0 }

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    pipe = (ends[0], ends[1])
    let (end, waiting, tired) = (pipe.end, waiting, tired)
    for _ in 0..<64 {
      Task.detached {
        waiting.withLock { $0 += 1 }
        guard tired.withLock({ $0 }) == 0 else { return }
        var ready = pollfd(fd: end, events: 0, revents: 0)
        if poll(&ready, 1, 20_000) == 0 { tired.withLock { $0 += 1 } }
      }
    }
  }

  func end() { close(pipe.start) }
}

/// Looks on, on its client's own thread.
private actor Onlooker {
  private let client: PulseClient
  nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }

  init(_ client: PulseClient) { self.client = client }

  /// Once all threads are taken, makes a device the default again and again, and sees whether that is put
  /// back each time.
  func sees(_ pool: BusyPool, _ device: String, times: Int) async throws -> Bool {
    defer { pool.end() }
    var count = 0
    while count == 0 || pool.count != count {
      count = pool.count
      try await pause(.milliseconds(100))
    }
    let before = try await client.serverInfo().defaultSourceName
    for _ in 0..<times {
      try await client.setDefaultSource(device)
      while try await client.serverInfo().defaultSourceName != before {
        if pool.hasEnded { return false }
        try await pause(.milliseconds(5))
      }
    }
    return before != device
  }

  private func pause(_ time: Duration) async throws {
    try await client.loop.sleep(until: .now + time)
  }
}
