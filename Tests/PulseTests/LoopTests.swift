import Glibc
import POSIX
import PulseTypes
import Testing

@testable import Pulse

/// An actor of somebody else's, on a client's loop.
private actor Neighbour {
  let client: PulseClient
  nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }

  init(_ client: PulseClient) { self.client = client }

  /// Reads the client's state without `await`.
  private func seesTheClient() -> Bool { client.assumeIsolated { $0.isConnected } }

  /// Whether every step between here and the answer ran on this one thread.
  func staysOnOneThread() async throws -> Bool {
    let me = pthread_self()
    guard seesTheClient() else { return false }
    let sinks = try await client.sinks()
    let second = try await PulseClient.connect(
      to: client.serverAddress, name: "second", loop: client.loop)
    let same = try await second.sinks() == sinks
    return same && pthread_equal(me, pthread_self()) != 0
  }
}

@Suite(.needsPulseAudio, .timeLimit(.minutes(2)))
struct LoopTests {
  @Test func actorsShareTheLoop() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    #expect(try await Neighbour(client).staysOnOneThread())
    #expect(client.loop.isIsolatingCurrentContext() == false)
  }

  @Test func severalClientsOnOneLoop() async throws {
    let server = try await PrivateServer()
    let loop = PulseLoop()
    let clients = [
      try await server.connect(loop: loop), try await server.connect(loop: loop),
    ]
    for client in clients { #expect(try await client.sinks().count == 2) }
    await clients[0].close()
    #expect(try await clients[1].sinks().count == 2)
  }

  /// A process that was waited for is told of by its descriptor without end.
  @Test func processThatEndedIsToldOnce() async throws {
    typealias Open = @convention(c) (pid_t, UInt32) -> Int32
    let symbol = try #require(dlsym(nil, "pidfd_open"))
    let loop = PulseLoop()
    var child = pid_t()
    let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawn(&child, "/bin/true", nil, nil, arguments, nil) == 0)
    let descriptor = unsafeBitCast(symbol, to: Open.self)(child, 0)
    try #require(descriptor >= 0)
    let calls = Calls()
    let watch = DescriptorWatch(descriptor, on: loop, isOnce: true) { calls.count() }
    waitpid(child, nil, 0)
    try await eventually { calls.now > 0 }
    // The loop goes round for each of these.
    for _ in 0..<50 { await loop.turn() }
    #expect(calls.now == 1)
    withExtendedLifetime(watch) {}
  }

  /// Without a thread, work runs where it is added, one piece at a time, and connecting throws.
  @Test func threadThatCannotBeStarted() async throws {
    for _ in 0..<50 {
      let loop = PulseLoop { (thread) throws(PulseError) in try thread.start { _, _ in EAGAIN } }
      await #expect {
        _ = try await PulseClient.connect(to: "unix:/nonexistent", name: "test", loop: loop)
      } throws: { ($0 as? PulseError)?.code == .ioError }
      let calls = Calls()
      loop.thread.add(
        .call {
          loop.thread.add(.call { calls.count() })
          if calls.now > 0 { Issue.record("work ran inside of other work") }
        })
      #expect(calls.now == 1)
      try await loop.sleep(until: .now + .microseconds(10))
    }
  }

  @Test func loopsThatNobodyUses() async throws {
    for _ in 0..<100 { _ = PulseLoop() }
  }
}

private final class Calls: @unchecked Sendable {  // what is shared is behind `lock`
  private let lock = Lock()
  private var number = 0

  var now: Int { lock.withLock { number } }
  func count() { lock.withLock { number += 1 } }
}

extension PulseLoop {
  /// Returns after the loop has taken something up once more.
  fileprivate func turn() async {
    await withCheckedContinuation { continuation in
      thread.add(.call { continuation.resume() })
    }
  }
}
