import AudioSession
import Pulse
import PulseSandbox
import TestSupport
import Testing

@testable import SessionCore

/// What pipewire-pulse does otherwise than PulseAudio, and the code relies on or guards against.
@Suite("Facts about PipeWire", .graphCards, .timeLimit(.minutes(10)))
struct PipeWireFactTests {
  private func with(
    _ configuration: SandboxConfiguration = .nullDevices(on: .pipewire),
    _ body: (PulseSandbox, PulseClient) async throws -> Void
  ) async throws {
    try await PulseSandbox.with(configuration) { sandbox in
      let client = try await Rig.client(of: sandbox, "test")
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
      _ = try await client.loadModule(RemapSpec.moduleName(.input), spec.moduleArgument)
      let deadline = ContinuousClock.now + .seconds(10)
      while try await client.snapshot().chain.remap(.input) == nil, ContinuousClock.now < deadline {
      }
      #expect(try await client.snapshot().chain.remap(.input)?.master == "internal_mic")
    }
  }

  @Test("it says what it is by its name, and calls itself PulseAudio 15")
  func name() async throws {
    try await with { _, client in
      let server = try await client.serverInfo()
      #expect(server.name.hasPrefix("PulseAudio (on PipeWire "))
      #expect(server.version == "15.0.0")
      #expect(server.kind == .pipewire)
    }
  }

  @Test("a remap has the graph's rate, whatever was asked, and takes any argument")
  func remapRate() async throws {
    try await with { _, client in
      let rate = try #require(try await client.snapshot().device(.input, named: "usb_mic"))
        .sampleSpec.rate
      let module = try await client.loadModule(
        "module-remap-source", "source_name=re master=usb_mic rate=8000 nonsense=yes")
      // Numbers of modules begin where no object of PipeWire's has one.
      #expect(module.rawValue >= 536_870_912)
      let remap = try await device("re", client)
      #expect(remap?.sampleSpec.rate == rate)
    }
  }

  @Test("where there was no source a remap becomes the default by itself, without one to take from")
  func remapDefault() async throws {
    try await with(.empty(on: .pipewire)) { _, client in
      _ = try await client.loadModule(
        "module-remap-source", "source_name=re master=nowhere")
      #expect(try await device("re", client) != nil)
      let deadline = ContinuousClock.now + .seconds(10)
      var name = try await client.serverInfo().defaultSourceName
      // 1.4 keeps the monitor of its dummy.
      while name != "re", name != "auto_null.monitor", ContinuousClock.now < deadline {
        name = try await client.serverInfo().defaultSourceName
      }
      #expect(name == "re" || name == "auto_null.monitor", "\(name as Any)")
    }
  }

  /// A source, once it is listed.
  private func device(_ name: String, _ client: PulseClient) async throws -> Device? {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline {
      if let device = try await client.source(named: name) { return device }
    }
    return nil
  }

  @Test("a card's profile cannot be made to stick")
  func noSticky() async throws {
    try await with(.demo(on: .pipewire)) { _, client in
      let card = try #require(try await client.snapshot().cards.first)
      let error = await #expect(throws: PulseError.self) {
        try await client.sendMessage(to: "/card/\(card.name)", "set-profile-sticky", "true")
      }
      #expect(error?.code == .noSuchEntity)
    }
  }

  @Test("a stream gets no shorter fragments than the server has, and no error")
  func floor() async throws {
    try await with { _, client in
      var options = options("usb_mic")
      options.latency = .milliseconds(1)
      let stream = try await client.openStream(options)
      let granted = try #require(await stream.grantedLatency)
      #expect(granted > .milliseconds(2) && granted < .milliseconds(20), "\(granted)")
      await stream.close()
    }
  }

  @Test("a stream that must not move is not moved, and that is said")
  func pinned() async throws {
    try await with { _, client in
      var options = options("usb_mic")
      options.flags = [.dontMove]
      let stream = try await client.openStream(options)
      let error = await #expect(throws: PulseError.self) {
        try await client.moveStream(.input, stream.index, to: "internal_mic")
      }
      #expect(error?.code == .invalidArgument)
      #expect(await stream.deviceName == "usb_mic")
      await stream.close()
    }
  }

  @Test("without a device and WirePlumber the defaults are names that mean none, and told as none")
  func placeholders() async throws {
    try await with(.empty(on: .pipewire)) { sandbox, client in
      try await sandbox.kill(.wireplumber)
      // Who was connected before goes on to hear the former ones.
      let deadline = ContinuousClock.now + .seconds(10)
      var server = try await client.serverInfo()
      while server.defaultSourceName != nil, ContinuousClock.now < deadline {
        let other = try await Rig.client(of: sandbox, "other")
        server = try await other.serverInfo()
        await other.close()
      }
      #expect(server.defaultSourceName == nil && server.defaultSinkName == nil)
      let told = try await sandbox.capture(["pactl", "info"]).standardOutput
      #expect(told.contains("Default Source: @DEFAULT_SOURCE@"), "\(told)")
      #expect(told.contains("Default Sink: @DEFAULT_SINK@"), "\(told)")
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
      let other = try await Rig.client(of: sandbox, "test")
      let snapshot = try await other.snapshot()
      #expect(snapshot.device(.output, named: "mine") == nil)
      #expect(snapshot.device(.output, named: "speakers") != nil)
      await other.close()
    }
  }

  @Test("a server has at most 64 clients, and ends the connection of the next until one goes")
  func clients() async throws {
    try await with { sandbox, client in
      var others: [PulseClient] = []
      var refusal: PulseError?
      while refusal == nil, others.count < 65 {
        do throws(PulseError) {
          others.append(
            try await PulseClient.connect(
              to: sandbox.address, name: "other", timeout: .seconds(20)))
        } catch {
          refusal = error
        }
      }
      #expect(others.count < 64 && others.count > 55, "\(others.count)")
      #expect(
        refusal.map { [.disconnected, .connectionRefused].contains($0.code) } == true,
        "\(refusal as Any)")
      // Who is connected notices nothing.
      let server = try await client.serverInfo()
      #expect(server.kind == .pipewire)
      await others.popLast()?.close()
      let deadline = ContinuousClock.now + .seconds(10)
      var next: PulseClient?
      while next == nil, ContinuousClock.now < deadline {
        next = try? await PulseClient.connect(to: sandbox.address, name: "next")
      }
      #expect(next != nil)
      await next?.close()
      for other in others { await other.close() }
    }
  }

  @Test("a moved stream is said to be where it was asked to go, and a second later where it is")
  func claims() async throws {
    try await with { sandbox, client in
      let stream = try await client.openStream(options("usb_mic"))
      func device() async throws -> String? {
        let snapshot = try await client.snapshot()
        let seen = snapshot.sourceOutputs.first { $0.index == stream.index }
        return snapshot.device(.input, at: seen?.device)?.name
      }
      func becomes(_ name: String) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while try await device() != name {
          guard ContinuousClock.now < deadline else { return false }
        }
        return true
      }
      #expect(try await becomes("usb_mic"))
      // Nobody connects anything now.
      try await sandbox.freeze(.wireplumber)
      // The claim lasts a second, in which a busy machine may read nothing.
      var isClaimed = false
      for number in 1...20 where !isClaimed {
        noteTry(number, of: 20)
        try await client.moveStream(.input, stream.index, to: "internal_mic")
        isClaimed = try await device() == "internal_mic"
      }
      #expect(isClaimed)
      #expect(try await becomes("usb_mic"))
      try await sandbox.thaw(.wireplumber)
      #expect(try await becomes("internal_mic"))
      await stream.close()
    }
  }

  @Test("without a source a recording is an error, or of what is played")
  func noPeer() async throws {
    try await with(.empty(on: .pipewire)) { _, client in
      let stream: PulseStream
      do throws(PulseError) {
        stream = try await client.openStream(options("nowhere"))
      } catch {
        #expect(error.code == .ioError, "\(error)")
        return
      }
      let device = await stream.deviceName
      #expect(device?.hasSuffix(".monitor") == true, "\(device as Any)")
      await stream.close()
    }
  }

  @Test("a default that was chosen is WirePlumber's to remember, over the end of all")
  func lastingDefault() async throws {
    try await with { sandbox, client in
      let former = try #require(try await client.serverInfo().defaultSourceName)
      let name = former == "usb_mic" ? "internal_mic" : "usb_mic"
      try await client.setDefaultSource(name)
      try await sandbox.awaitStored(name, in: "default-nodes")
      try await sandbox.kill()
      try await sandbox.restart()
      let deadline = ContinuousClock.now + .seconds(20)
      var seen: String?
      while seen != name, ContinuousClock.now < deadline {
        let other = try await Rig.client(of: sandbox, "other")
        seen = try await other.serverInfo().defaultSourceName
        await other.close()
      }
      #expect(seen == name)
    }
  }
}

/// What tells a write's answer from its effect, on each of the servers.
@Suite("Answers and effects", .bothServers, .timeLimit(.minutes(10)))
struct AnswerTests {
  /// Asks for both in one breath: the reading is sent before the write is answered, however busy the
  /// threads are on which a task would begin later.
  private func pipelined(
    _ client: isolated PulseClient, _ name: String
  ) async throws -> String? {
    let write = Task.immediate { try await client.setDefaultSource(name) }
    let reading = Task.immediate { try await client.serverInfo().defaultSourceName }
    try await write.value
    return try await reading.value
  }

  /// Waits until the server has a default: PipeWire may stop reporting them to a connection, so others ask,
  /// too.
  private func awaitDefault(
    _ name: String, _ client: PulseClient, _ sandbox: PulseSandbox
  ) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      let next = ContinuousClock.now + .seconds(1)
      while ContinuousClock.now < next {
        if try await client.serverInfo().defaultSourceName == name { return true }
      }
      let other = try await Rig.client(of: sandbox, "other")
      let found = try? await other.serverInfo().defaultSourceName
      await other.close()
      if found == name { return true }
    }
    return false
  }

  @Test(
    "what is read behind a write is what was written; PipeWire reads first",
    arguments: [ServerKind.pulseaudio, .pipewire])
  func order(_ kind: ServerKind) async throws {
    try await PulseSandbox.with(.nullDevices(on: kind)) { sandbox in
      let client = try await Rig.client(of: sandbox, "test")
      for number in 0..<20 {
        let name = number.isMultiple(of: 2) ? "usb_mic" : "internal_mic"
        // WirePlumber makes the choice effective, at any time after the write was answered.
        let before = try await client.serverInfo().defaultSourceName
        if kind == .pipewire { try await sandbox.freeze(.wireplumber) }
        let read = try await pipelined(client, name)
        if kind == .pipewire { try await sandbox.thaw(.wireplumber) }
        #expect(read == (kind == .pipewire ? before : name), "\(number)")
        #expect(try await awaitDefault(name, client, sandbox), "\(number)")
      }
      await client.close()
    }
  }
}
