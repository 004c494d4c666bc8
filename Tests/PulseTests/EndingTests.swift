import Glibc
import PulseTypes
import TestSupport
import Testing

@testable import Pulse

/// Every request ends exactly once: by its reply, deadline, cancellation, or the connection's end.
@Suite(.needsPulseAudio, .timeLimit(.minutes(10)))
struct EndingTests {
  @Test func deadline() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect(requestTimeout: .milliseconds(100))
    server.signal(SIGSTOP)
    await expect(.timedOut, "set_source_mute speaker.monitor true") {
      try await client.setMute(.input, device: "speaker.monitor", true)
    }
    await expect(.timedOut, "get_server_info") { try await client.snapshot() }
    // The slow answers, when they come after all, find nobody; the connection lives.
    server.signal(SIGCONT)
    #expect(try await client.sinks(timeout: .seconds(20)).count == 2)
    #expect(await client.pendingCount == 0)
  }

  /// A shorter deadline than the one the timer waits for is not missed.
  @Test func deadlinesInAnyOrder() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    server.signal(SIGSTOP)
    let slow = Task { try await client.sinks(timeout: .seconds(60)) }
    try await wait { await client.pendingCount == 1 }
    await expect(.timedOut, "get_source_list") {
      try await client.sources(timeout: .milliseconds(50))
    }
    await expect(.timedOut, "get_source_list") { try await client.sources(timeout: .zero) }
    server.signal(SIGCONT)
    #expect(try await slow.value.count == 2)
  }

  /// A stream that the server makes after nobody waits for it any more is ended then.
  @Test func streamMadeTooLate() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    server.signal(SIGSTOP)
    await #expect {
      try await client.openStream(
        StreamOptions(
          direction: .input, name: "late", device: "speaker.monitor",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: true),
        timeout: .milliseconds(50))
    } throws: { error in
      (error as? PulseError)?.code == .timedOut
    }
    server.signal(SIGCONT)
    // The stream's end is asked for when its beginning is known: one round trip later.
    _ = try await client.serverInfo(timeout: .seconds(20))
    #expect(try await client.sourceOutputs(timeout: .seconds(20)).isEmpty)
  }

  /// libpulse stops to wait for a stream's answer after 30 s.
  @Test func streamMadeMuchTooLate() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let ends = Shared<[PulseError]>([])
    await client.setDisconnectHandler { error in ends.update { $0.append(error) } }
    server.signal(SIGSTOP)
    await #expect(throws: PulseError.self) {
      try await client.openStream(
        StreamOptions(
          direction: .input, name: "late", device: "speaker.monitor",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: true),
        timeout: .milliseconds(50))
    }
    #expect(
      await eventually(within: .seconds(60)) { await !client.isConnected },
      "nothing would end the stream that the server makes now")
    server.signal(SIGCONT)
    #expect(ends.value.map(\.code) == [.disconnected])
    let other = try await server.connect()
    #expect(
      try await eventually { try await other.sourceOutputs(timeout: .seconds(20)).isEmpty })
  }

  @Test func cancellation() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    server.signal(SIGSTOP)
    let task = Task { try await client.sinks() }
    try await wait { await client.pendingCount == 1 }
    task.cancel()
    await expect(.cancelled, "get_sink_list") { try await task.value }
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.snapshot()
    }
    await expect(.cancelled, "get_server_info") { try await late.value }
    #expect(await client.pendingCount == 0)
    server.signal(SIGCONT)
    #expect(try await client.sinks().count == 2)
  }

  @Test func killedServer() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let ends = Shared<[PulseError]>([])
    await client.setDisconnectHandler { error in ends.update { $0.append(error) } }
    server.signal(SIGSTOP)
    let tasks = [
      Task { try await client.setDefaultSink("hall") },
      Task { _ = try await client.snapshot() },
      Task { _ = try await client.openStream(.pin(.input, on: "hall.monitor")) },
    ]
    try await wait { await client.pendingCount == 3 }
    server.signal(SIGKILL)
    await expect(.disconnected, "set_default_sink hall") { try await tasks[0].value }
    await expect(.disconnected, "get_") { try await tasks[1].value }
    await expect(.disconnected, "open record stream pin") { try await tasks[2].value }
    #expect(await !client.isConnected)
    #expect(await client.pendingCount == 0)
    #expect(ends.value.map(\.code) == [.disconnected])
    await expect(.disconnected, "get_sink_list") { try await client.sinks() }
    // A handler that comes too late hears of it at once.
    await client.setDisconnectHandler { error in ends.update { $0.append(error) } }
    #expect(ends.value.count == 2)
  }

  @Test func closeWithPendingRequests() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let stream = try await client.openStream(.pin(.input, on: "hall.monitor"))
    let ends = Shared<[PulseError.Code]>([])
    await client.setDisconnectHandler { error in ends.update { $0.append(error.code) } }
    await stream.setEndHandler { error in ends.update { $0.append(error.code) } }
    server.signal(SIGSTOP)
    let tasks = [
      Task { _ = try await client.sinks() },
      Task { try await stream.cork(false) },
    ]
    try await wait { await client.pendingCount == 2 }
    await client.close()
    await expect(.closed, "get_sink_list") { try await tasks[0].value }
    await expect(.closed, "uncork record stream pin") { try await tasks[1].value }
    await expect(.closed, "get_sink_list") { try await client.sinks() }
    await expect(.closed, "cork record stream pin") { try await stream.cork(true) }
    await client.close()
    #expect(ends.value == [.closed, .closed])
    #expect(await client.pendingCount == 0)
  }

  @Test func killedByAnotherClient() async throws {
    let server = try await PrivateServer()
    let (client, other) = (try await server.connect(), try await server.connect())
    let ends = Shared<[PulseError.Code]>([])
    await client.setDisconnectHandler { error in ends.update { $0.append(error.code) } }
    try await other.killClient(#require(await client.index))
    try await wait { ends.value == [.disconnected] }
    #expect(await !client.isConnected)
  }

  @Test func leaksNothing() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    for _ in 0..<1000 { _ = try await client.serverInfo() }
    #expect(await client.pendingCount == 0)
    #expect(try await client.freesItsRequests())
    await expect(.noSuchEntity, "set_default_sink nothing") {
      try await client.setDefaultSink("nothing")
    }
    #expect(await client.pendingCount == 0)
  }

  @Test func manyAtOnce() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<200 { group.addTask { try await client.sinks().count } }
      for try await count in group { #expect(count == 2) }
    }
    #expect(await client.pendingCount == 0)
  }
}
