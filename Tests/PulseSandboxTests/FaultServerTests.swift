import Glibc
import POSIX
import TestSupport
import Testing

@testable import PulseSandbox

@Suite("Faults asked for from inside", needsServer, .timeLimit(.minutes(10)))
struct FaultServerTests {
  static let faults: [Fault] = [
    .device(.plug, "a b"), .device(.unplug, "a\n"), .device(.suspend, "x"), .device(.resume, "x"),
    .server(.kill), .server(.restart), .server(.resetMediaServices), .server(.freeze),
    .server(.thaw), .compete(.defaultInput("x"), name: "r"),
    .compete(.defaultOutput("x"), name: "r"), .compete(.port(device: "x", "p"), name: "r"),
    .compete(.volume(device: "x", percent: 30), name: "r"),
    .compete(.mute(device: "x", false), name: "r"),
    .compete(.profile(card: "c", "off"), name: "r"),
    .interrupt(role: "phone", device: nil, name: "call"),
    .interrupt(role: "phone", device: "x", name: "call"),
  ]

  @Test("a fault is the same on the other side", arguments: faults)
  func words(_ fault: Fault) { #expect(Fault(words: fault.words) == fault) }

  @Test(
    "other words are no fault",
    arguments: [
      [], ["nonsense"], ["plug"], ["kill", "now"], ["compete", "r"],
      ["compete", "r", "volume", "x", "loud"], ["compete", "r", "mute", "x", "maybe"],
      ["interrupt", "call"],
    ])
  func nonsense(_ words: [String]) { #expect(Fault(words: words) == nil) }

  @Test("what is asked is done, answered, and refused where it is nonsense")
  func asks() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      #expect(try await sandbox.ask(["unplug", "mic"]) == ["done"])
      #expect(try await sandbox.names(of: "sources") == ["speakers.monitor"])
      #expect(try await sandbox.ask(["unplug", "nowhere"])?.first == "noSuchDevice")
      #expect(try await sandbox.ask(["nonsense"])?.first == "refused")
      #expect(try await sandbox.ask(["reset-media-services"]) == ["done"])
      #expect(try await sandbox.names(of: "sources") == ["speakers.monitor", "mic"])
    }
  }

  @Test("a socket without a process is told from one that refuses")
  func noProcess() throws {
    let packets = __socket_type(SOCK_SEQPACKET.rawValue)
    func code(_ path: String) -> SandboxError.Code? {
      do throws(SandboxError) {
        _ = try connectedSocket(path, packets)
        return nil
      } catch {
        return error.code
      }
    }
    let folder = TemporaryFolder()
    #expect(code(folder.path + "/none") == .notRunning)
    let silent = try boundSocket(packets, at: folder.path + "/silent")
    let other = try boundSocket(SOCK_STREAM, at: folder.path + "/other")
    defer {
      close(silent)
      close(other)
    }
    #expect(code(folder.path + "/silent") == .notRunning)
    #expect(code(folder.path + "/other") == .refused)
  }

  @Test("a lasting fault ends with who asked for it")
  func lasting() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      var caller: PacketConnection? = try sandbox.connection()
      caller?.send(["interrupt", "call", "phone"])
      #expect(await caller?.answer() == ["done"])
      #expect(try await sandbox.state(of: "speakers") == "RUNNING")
      caller = nil
      let deadline = ContinuousClock.now + .seconds(10)
      while try await sandbox.state(of: "speakers") == "RUNNING" {
        try #require(ContinuousClock.now < deadline)
      }
    }
  }

  @Test("a closed sandbox hangs up, whatever is going on")
  func closing() async throws {
    let sandbox = try await PulseSandbox.start(.minimal)
    let silent = try sandbox.connection()
    let caller = try sandbox.connection()
    caller.send(["interrupt", "call", "phone"])
    #expect(await caller.answer() == ["done"])
    await sandbox.close()
    #expect(await silent.answer() == nil)
    #expect(await caller.answer() == ["done"])
    #expect(await caller.answer() == nil)
  }

  @Test("the last reference still ends a sandbox that serves")
  func lastReference() async throws {
    var sandbox: PulseSandbox? = try await PulseSandbox.start(.empty)
    let directory = try #require(sandbox?.directory)
    sandbox = nil
    #expect(await eventually { !File.exists(directory) })
  }
}

extension PulseSandbox {
  fileprivate func connection() throws -> PacketConnection {
    PacketConnection(
      try connectedSocket(folder.faultSocket, __socket_type(SOCK_SEQPACKET.rawValue)))
  }

  fileprivate func ask(_ words: [String]) async throws -> [String]? {
    let connection = try connection()
    connection.send(words)
    return await connection.answer()
  }
}

extension PacketConnection {
  /// The next packet; nil at the end of the connection.
  fileprivate func answer() async -> [String]? {
    try? await onOwnThread { [self] () throws(SandboxError) in
      _ = poll([.input(raw)], for: 20_000)
      return receive()
    }
  }
}
