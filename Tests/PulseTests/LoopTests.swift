import Glibc
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

  @Test func loopsThatNobodyUses() async throws {
    for _ in 0..<100 { _ = PulseLoop() }
  }
}
