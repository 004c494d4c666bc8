import Glibc
import POSIX
import PulseTypes
import TestSupport
import Testing

@testable import Pulse

/// An actor of somebody else's, on a client's loop.
private actor Neighbour {
  let client: PulseClient
  nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }

  init(_ client: PulseClient) { self.client = client }

  /// Reads the client's state without `await`.
  private func seesTheClient() -> Bool { client.assumeIsolated { $0.isConnected } }

  /// Asks with a limit that passes while the thread stands still.
  func infoAfterAStandstill() async throws -> ServerInfo {
    client.loop.thread.add(.call { poll(nil, 0, 300) })
    return try await client.serverInfo(timeout: .milliseconds(100))
  }

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

/// An actor whose last reference is released by a job on its loop, and its loop with it.
private actor Brief {
  private let loop: PulseLoop
  private var calls = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: PulseLoop) { self.loop = loop }

  /// A task that ends after the gate has.
  func start(_ gate: AsyncStream<Void>) -> Task<Void, Never> {
    Task {
      for await _ in gate {}
      calls += 1
    }
  }
}

@Suite(.needsPulseAudio, .timeLimit(.minutes(10)))
struct LoopTests {
  @Test func actorsShareTheLoop() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    #expect(try await Neighbour(client).staysOnOneThread())
    #expect(client.loop.isIsolatingCurrentContext() == false)
  }

  @Test func theServerIsNotLateWhileThisProcessStoodStill() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    var info: ServerInfo?
    // A machine that stands still for longer leaves the server no time.
    for number in 1...5 where info == nil {
      noteTry(number, of: 5)
      info = try? await Neighbour(client).infoAfterAStandstill()
    }
    #expect(try await client.serverInfo() == info)
  }

  @Test func noSleepEndsEarly() async throws {
    let loop = PulseLoop()
    for number in 0..<200 {
      let end = ContinuousClock.now + .microseconds(500 + 7 * number)
      try await loop.sleep(until: end)
      #expect(ContinuousClock.now >= end)
    }
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
    let loop = PulseLoop()
    let child = try Launch(program: "/bin/true", arguments: []).spawn()
    let descriptor = try #require(processDescriptor(child))
    let calls = Shared(0)
    let watch = DescriptorWatch(descriptor, on: loop, isOnce: true) { calls.update { $0 += 1 } }
    reap(child)
    try await wait { calls.value > 0 }
    // The loop goes round for each of these.
    for _ in 0..<50 { await loop.turn() }
    #expect(calls.value == 1)
    withExtendedLifetime(watch) {}
  }

  /// Without a thread, work runs where it is added, one piece at a time, and connecting throws.
  @Test func threadThatCannotBeStarted() async throws {
    for _ in 0..<50 {
      let loop = PulseLoop { (thread) throws(PulseError) in try thread.start { _, _ in EAGAIN } }
      await #expect {
        _ = try await PulseClient.connect(to: "unix:/nonexistent", name: "test", loop: loop)
      } throws: { ($0 as? PulseError)?.code == .ioError }
      let calls = Shared(0)
      loop.thread.add(
        .call {
          loop.thread.add(.call { calls.update { $0 += 1 } })
          if calls.value > 0 { Issue.record("work ran inside of other work") }
        })
      #expect(calls.value == 1)
      try await loop.sleep(until: .now + .microseconds(10))
    }
  }

  /// Memory that is freed is overwritten in this process, so that a use of it ends it.
  @Test func lastReferenceWithoutThread() async {
    await #expect(processExitsWith: .success) {
      // `mallopt(M_PERTURB, …)`, which Swift does not import.
      let mallopt = unsafeBitCast(
        dlsym(nil, "mallopt"), to: (@convention(c) (CInt, CInt) -> CInt).self)
      // AddressSanitizer has its own memory, and finds the use itself.
      guard mallopt(-6, 0x5A) == 1 || dlsym(nil, "__asan_init") != nil else { exit(2) }
      for _ in 0..<100 {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let task = await Brief(
          PulseLoop { (thread) throws(PulseError) in try thread.start { _, _ in EAGAIN } }
        ).start(gate)
        opening.finish()
        await task.value
      }
    }
  }

  @Test func loopsThatNobodyUses() async throws {
    for _ in 0..<100 { _ = PulseLoop() }
  }
}

extension PulseLoop {
  /// Returns after the loop has taken something up once more.
  fileprivate func turn() async {
    await withCheckedContinuation { continuation in
      thread.add(.call { continuation.resume() })
    }
  }
}
