import Glibc
import PulseTypes
import Testing

@testable import Pulse

@Suite(.needsPulseAudio, .timeLimit(.minutes(2)))
struct ConnectionTests {
  @Test func connects() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect(name: "ann")
    #expect(await client.isConnected)
    #expect(await client.serverAddress?.hasSuffix("/pulse.sock") == true)
    #expect(try #require(await client.protocolVersion) >= 35)
    let index = try #require(await client.index)
    let me = try #require(try await client.client(at: index))
    #expect(me.properties["application.name"] == "ann")
    await client.close()
    await client.close()
    #expect(await !client.isConnected)
    await expect(.closed, "get_sink_list") { try await client.sinks() }
  }

  @Test func takesABarePathAsAddress() async throws {
    let server = try await PrivateServer()
    let path = "\(server.folder)/pulse.sock"
    let client = try await PulseClient.connect(to: path, name: "test")
    #expect(try await client.serverInfo().name == "pulseaudio")
  }

  @Test func nobodyThere() async throws {
    _ = try await PrivateServer([])  // isolates the environment
    await expect(.connectionRefused, "connect") {
      try await PulseClient.connect(to: "/nonexistent/pulse.sock", name: "test")
    }
  }
}

/// Expects an error with a code, of an operation that begins with these words.
func expect<Value>(
  _ code: PulseError.Code, _ operation: String, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async {
  do {
    _ = try await body()
    Issue.record("no error", sourceLocation: sourceLocation)
  } catch let error as PulseError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    #expect(error.operation.hasPrefix(operation), "\(error)", sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}
