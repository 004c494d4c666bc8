import AudioSession
import Pulse
import PulseSandbox
import SessionCore
import Testing

/// What pipewire-pulse does otherwise than PulseAudio, and the code relies on or guards against.
@Suite("Facts about PipeWire", .pipewire, .timeLimit(.minutes(1)))
struct PipeWireFactTests {
  private func with(
    _ configuration: SandboxConfiguration = .nullDevices(on: .pipewire),
    _ body: (PulseSandbox, PulseClient) async throws -> Void
  ) async throws {
    try await PulseSandbox.with(configuration) { sandbox in
      let client = try await PulseClient.connect(to: sandbox.address, name: "test")
      try await body(sandbox, client)
      await client.close()
    }
  }

  private func options(_ device: String) -> StreamOptions {
    StreamOptions(
      direction: .input, name: "recorder", device: device,
      spec: SampleSpec(format: .s16le, rate: 48000, channels: 2), startCorked: false)
  }

  @Test("a record stream to a source that does not exist is made on the default")
  func missingSource() async throws {
    try await with { _, client in
      let stream = try await client.openStream(options("nowhere"))
      #expect(await stream.deviceName == "internal_mic")
      await stream.close()
    }
  }

  @Test("a remap of a source that does not exist loads, on another: its link tells")
  func missingMaster() async throws {
    try await with { _, client in
      let spec = RemapSpec(
        direction: .input, master: "nowhere", masterMap: .stereo, map: .stereo)
      _ = try await client.loadModule(spec.moduleName, spec.moduleArgument)
      let deadline = ContinuousClock.now + .seconds(10)
      while try await client.snapshot().remap(.input) == nil, ContinuousClock.now < deadline {}
      #expect(try await client.snapshot().remap(.input)?.master == "internal_mic")
    }
  }

  @Test("a monitor has its sink's number")
  func sharedNumbers() async throws {
    try await with { _, client in
      let snapshot = try await client.snapshot()
      let sink = try #require(snapshot.device(.output, named: "speakers"))
      let monitor = try #require(snapshot.device(.input, named: "speakers.monitor"))
      #expect(sink.index.rawValue == monitor.index.rawValue)
    }
  }

  @Test(
    "these modules are PulseAudio's alone",
    arguments: [
      "module-null-source", "module-role-cork", "module-role-ducking", "module-card-restore",
    ])
  func missingModules(_ name: String) async throws {
    try await with { _, client in
      let error = await #expect(throws: PulseError.self) { try await client.loadModule(name, "") }
      #expect(error?.code == .noSuchEntity)
    }
  }

  @Test("without WirePlumber a stream waits for ever, and a default cannot be set")
  func withoutManager() async throws {
    try await with { sandbox, client in
      try await sandbox.kill(.wireplumber)
      let deadline = ContinuousClock.now + .seconds(10)
      while try await !client.snapshot().lacksSessionManager, ContinuousClock.now < deadline {}
      let stream = await #expect(throws: PulseError.self) {
        try await client.openStream(options("usb_mic"), timeout: .seconds(1))
      }
      #expect(stream?.code == .timedOut)
      let write = await #expect(throws: PulseError.self) {
        try await client.setDefaultSource("usb_mic")
      }
      #expect(write?.code == .notSupported)
    }
  }

  @Test("pipewire's end is the connection's, though pipewire-pulse lives on")
  func daemonsEnd() async throws {
    try await with { sandbox, client in
      try await sandbox.kill(.pipewire)
      let error = await #expect(throws: PulseError.self) {
        while true { _ = try await client.serverInfo() }
      }
      #expect(error?.code == .disconnected)
      #expect(await sandbox.processID(of: .pipewirePulse) != nil)
    }
  }

  @Test("pipewire-pulse's end takes the modules along, and leaves the devices")
  func frontsEnd() async throws {
    try await with { sandbox, client in
      _ = try await client.loadModule("module-null-sink", "sink_name=mine")
      try await sandbox.kill(.pipewirePulse)
      try await sandbox.restart(.pipewirePulse)
      let other = try await PulseClient.connect(to: sandbox.address, name: "test")
      let snapshot = try await other.snapshot()
      #expect(snapshot.device(.output, named: "mine") == nil)
      #expect(snapshot.device(.output, named: "speakers") != nil)
      await other.close()
    }
  }
}
