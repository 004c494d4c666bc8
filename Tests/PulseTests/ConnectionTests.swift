import Glibc
import PulseTypes
import Testing

@testable import Pulse

@Suite(.needsPulseAudio, .timeLimit(.minutes(10)))
struct ConnectionTests {
  @Test func connects() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect(name: "ann")
    #expect(await client.isConnected)
    #expect(await client.serverAddress?.hasSuffix("/pulse.sock") == true)
    let index = try #require(await client.index)
    let me = try #require(try await client.clients().first { $0.index == index })
    #expect(me.properties["application.name"] == "ann")
  }

  @Test func takesABarePathAsAddress() async throws {
    let server = try await PrivateServer()
    let path = "\(server.folder)/pulse.sock"
    let client = try await PulseClient.connect(to: path, name: "test")
    #expect(try await client.serverInfo().name == "pulseaudio")
  }

  @Test func nobodyThere() async throws {
    PrivateServer.isolatedEnvironment
    await expect(.connectionRefused, "connect") {
      try await PulseClient.connect(to: "/nonexistent/pulse.sock", name: "test")
    }
    await expect(.connectionRefused, "connect") { try await PulseClient.connect(name: "test") }
  }

  @Test func notAProperty() async throws {
    PrivateServer.isolatedEnvironment
    await expect(.invalidArgument, "connect") {
      try await PulseClient.connect(to: "/x", name: "test", properties: ["naïve": "key"])
    }
  }

  @Test func wrongCookie() async throws {
    let port = try freePort()
    let server = try await PrivateServer(
      access: ["module-native-protocol-tcp port=\(port) listen=127.0.0.1"])
    try await wait {
      do {
        _ = try await PulseClient.connect(to: "tcp:127.0.0.1:\(port)", name: "test")
        Issue.record("let in with the wrong cookie")
      } catch let error as PulseError where error.code == .connectionRefused {
        return false  // the server is still starting
      } catch let error as PulseError {
        #expect(error.code == .accessDenied, "\(error)")
        #expect(error.address == "tcp:127.0.0.1:\(port)")
      }
      return true
    }
    withExtendedLifetime(server) {}
  }

  @Test func frozenServerOnConnect() async throws {
    let server = try await PrivateServer()
    server.signal(SIGSTOP)
    let start = ContinuousClock.now
    await expect(.timedOut, "connect") {
      try await PulseClient.connect(
        to: server.address, name: "test", timeout: .milliseconds(100))
    }
    // A busy machine stands still for seconds; what hangs never ends.
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func cancelledConnect() async throws {
    let server = try await PrivateServer()
    server.signal(SIGSTOP)
    let task = Task { try await PulseClient.connect(to: server.address, name: "test") }
    task.cancel()
    await expect(.cancelled, "connect") { try await task.value }
  }

  /// A server that a test started is gone with the last reference; a client's loop too.
  @Test func dropsWithoutClosing() async throws {
    let server = try await PrivateServer()
    let watcher = try await server.connect()
    for _ in 0..<20 {
      let client = try await server.connect()
      let stream = try await client.openStream(.pin(.input, on: "speaker.monitor"))
      _ = try await client.serverInfo()
      withExtendedLifetime(stream) {}
    }
    try await wait { try await watcher.clients().count == 1 }
    try await wait { try await watcher.sourceOutputs().isEmpty }
  }

  @Test func threadEndsWithTheLoop() async throws {
    let server = try await PrivateServer()
    var client: PulseClient? = try await server.connect()
    weak let thread = client?.loop.thread
    #expect(thread != nil)
    await client?.close()
    client = nil
    try await wait { thread == nil }
  }

  private func freePort() throws -> UInt16 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
      return bind(socket, pointer, size) | getsockname(socket, pointer, &size)
    }
    try #require(result == 0)
    return UInt16(bigEndian: address.sin_port)
  }
}
