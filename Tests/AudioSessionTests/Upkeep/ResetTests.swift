import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import TestSupport
import Testing

@Suite("Servers that go, and what is in their place", .timeLimit(.minutes(10)))
struct ResetTests {
  private var mode: AudioMode {
    var mode = AudioMode()
    mode.preferredInput = [.name("mic")]
    mode.channelMap = .swap
    mode.inputGain = Volume(fraction: 0.4)
    return mode
  }

  private func isReset(_ events: AsyncStream<SessionEvent>) async -> Bool {
    for await event in events { if case .serverReset = event { return true } }
    return false
  }

  private func expectAllIsSo(_ session: AudioSession) async throws {
    let state = try await session.getSessionState()
    for name in [.preferredInput, .channelMap, .inputGain] as [Property] {
      #expect(state.properties[name]?.verdict == .applied, "\(name)")
    }
    let modules = try await session.snapshot().modules
    #expect(modules.count { $0.name == "module-remap-source" } == 1)
  }

  @Test(
    "one that accepts and hangs up is not taken for the server", .server, .timeLimit(.minutes(10)))
  func refusing() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(mode)
      let events = rig.session.events
      try await rig.sandbox.kill()
      let path = String(rig.sandbox.address.dropFirst("unix:".count))
      let impostor = try Impostor(path)
      // It was asked, and asked again.
      for _ in 1...3 { #expect(impostor.hangUpOnNext()) }
      impostor.end()
      try await rig.sandbox.restart()
      #expect(await isReset(events))
      try await expectAllIsSo(rig.session)
    }
  }

  @Test(
    "one that dies again and again while it is made so", .simulatedCard, .timeLimit(.minutes(10)))
  func dyingAgain() async throws {
    try await Rig.with { rig in
      var mode = mode
      mode.preferredInput = [.name(Names.laptopInput)]
      try await rig.session.setAudioMode(mode)
      let events = rig.session.events
      for _ in 1...5 {
        try await rig.sandbox.kill()
        try await rig.sandbox.restart()
      }
      // The last reset is that of the last restart, and an earlier one may still be told.
      for await event in events {
        guard case .serverReset = event else { continue }
        let state = try? await rig.session.getSessionState()
        if state?.properties[.channelMap]?.verdict == .applied { break }
      }
      try await expectAllIsSo(rig.session)
    }
  }

  @Test("one that dies during a change", .simulatedCard, .timeLimit(.minutes(10)))
  func duringAChange() async throws {
    try await Rig.with { rig in
      var mode = mode
      mode.preferredInput = [.name(Names.laptopInput)]
      try await rig.session.setAudioMode(mode)
      for round in 0..<20 {
        let events = rig.session.events
        mode.inputGain = Volume(fraction: round % 2 == 0 ? 0.5 : 0.6)
        let next = mode
        // It fails or not; what matters is that nobody has to ask again.
        async let change: ApplyReport? = try? rig.session.setAudioMode(next)
        try await rig.sandbox.resetMediaServices()
        _ = await change
        #expect(await isReset(events))
      }
      try await expectAllIsSo(rig.session)
    }
  }

  @Test("one that is only looked at when it is back", .simulatedCard, .timeLimit(.minutes(10)))
  func lookedAt() async throws {
    try await Rig.with { rig in
      var mode = mode
      mode.preferredInput = [.name(Names.laptopInput)]
      try await rig.session.setAudioMode(mode)
      for _ in 0..<20 {
        let events = rig.session.events
        async let state: SessionState? = try? rig.session.getSessionState()
        try await rig.sandbox.resetMediaServices()
        _ = try? await rig.session.getSessionState()
        _ = await state
        #expect(await isReset(events))
      }
      try await expectAllIsSo(rig.session)
    }
  }

  @Test("one that had asked for a pause", .server, .timeLimit(.minutes(10)))
  func pausing() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(mode)
      await rig.session.noteCorkRequest(toPause: true)
      #expect(try await rig.session.getSessionState().interrupted)
      let events = rig.session.events
      try await rig.sandbox.resetMediaServices()
      #expect(await isReset(events))
      #expect(try await !rig.session.getSessionState().interrupted)
      try await expectAllIsSo(rig.session)
    }
  }

  @Test("a socket whose folder is not there yet", .server, .timeLimit(.minutes(10)))
  func noFolder() async throws {
    try await Rig.with(.minimal) { rig in
      let store = TemporaryFolder()
      let session = AudioSession(
        server: rig.sandbox.address,
        configuration: SessionConfiguration(timeout: .seconds(20), storeFolder: store.path))
      try await session.setAudioMode(mode)
      let events = session.events
      try await rig.sandbox.kill()
      let away = rig.sandbox.directory + ".away"
      #expect(rename(rig.sandbox.directory, away) == 0)
      for await event in events where event == .serverLost { break }
      #expect(rename(away, rig.sandbox.directory) == 0)
      try await rig.sandbox.restart()
      #expect(await isReset(events))
      try await expectAllIsSo(session)
      await session.close()
    }
  }

  @Test("one that was removed with the store: a session that is opened again heals", .server)
  func reopened() async throws {
    try await Rig.with(.minimal) { rig in
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/reopened")
      configuration.reopens = true
      let session = AudioSession(server: rig.sandbox.address, configuration: configuration)
      try await session.setAudioMode(mode)
      let events = session.events
      try await rig.sandbox.kill()
      // It closes itself, and that ends its events.
      try removeFolder(rig.sandbox.directory + "/reopened")
      for await _ in events {}
      try await rig.sandbox.restart()
      try await session.setAudioMode(mode)
      try await rig.sandbox.restart()
      #expect(await eventually { await session.resetCount == 1 })
      try await expectAllIsSo(session)
      await session.close()
    }
  }

  private func removeFolder(_ path: String) throws {
    for name in Folder.names(path) { #expect(remove("\(path)/\(name)") == 0) }
    #expect(remove(path) == 0)
  }

  @Test(
    "one that comes back is reported to readers of a session that holds nothing", .server,
    .timeLimit(.minutes(10)))
  func withoutMode() async throws {
    try await Rig.with(.minimal) { rig in
      _ = try await rig.session.currentRoute
      let events = rig.session.events
      try await rig.sandbox.kill()
      try await rig.sandbox.restart()
      #expect(await isReset(events))
      let outside = try await Rig.client(of: rig.sandbox, "other")
      _ = try await outside.loadModule("module-null-sink", "sink_name=added")
      for await event in events where event == .devicesChanged { break }
      await outside.close()
    }
  }

  @Test(
    "what changes the route first is reported, also where no mode was applied", .server,
    .timeLimit(.minutes(10)))
  func firstRoute() async throws {
    try await Rig.with(.nullDevices) { rig in
      let former = try await rig.session.currentRoute
      let other = try #require(
        try await rig.outside.snapshot().sinks.map(\.name).first {
          $0 != former.outputs.first?.name
        })
      let events = rig.session.events
      try await rig.outside.setDefaultSink(other)
      for await event in events {
        guard case .routeChanged(_, let previous, let current) = event else { continue }
        #expect(previous.outputs.first?.name == former.outputs.first?.name)
        #expect(current.outputs.first?.name == other)
        break
      }
    }
  }

  @Test(
    "one where a program is faster than the session: that is a conflict, too", .server,
    .timeLimit(.minutes(10)))
  func withFasterRival() async throws {
    try await Rig.with(.minimal) { rig in
      let session = rig.session
      var mode = mode
      mode.gainLock = true
      try await session.setAudioMode(mode)
      let events = session.events
      try await rig.sandbox.kill()
      try await rig.sandbox.restart()
      let foe = try await PulseClient.connect(to: rig.sandbox.address, name: "mixer")
      try await foe.subscribe()
      let changes = await foe.events()
      let competing = Task {
        for await event in changes where event.facility != .client && event.kind != .remove {
          try? await foe.setVolume(.input, device: "mic", ChannelVolumes(.norm, channels: 2))
        }
      }
      // The session may have had its server back before.
      try await foe.setVolume(.input, device: "mic", ChannelVolumes(.norm, channels: 2))
      var blamed: [String] = []
      for await event in events {
        guard case .conflict(_, let opponents, _) = event else { continue }
        blamed = opponents
        break
      }
      #expect(blamed.contains("mixer"))
      // The rest is maintained all the same.
      let isKept = try await eventually {
        let properties = try await session.getSessionState().properties
        return properties[.channelMap]?.verdict == .applied
          && properties[.preferredInput]?.verdict == .applied
          && properties[.inputGain]?.verdict == .overridden
      }
      #expect(isKept)
      await foe.close()
      await competing.value
    }
  }

  @Test(
    "one that freezes is noticed by the next call, and goes on", .server, .timeLimit(.minutes(10)))
  func frozen() async throws {
    // What must succeed has time for a busy machine, too.
    try await Rig.with(.minimal, timeout: .seconds(12)) { rig in
      try await rig.session.setAudioMode(mode)
      try await rig.sandbox.freeze()
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.getSessionState()
      }
      #expect(error?.code == .timedOut)
      try await rig.sandbox.thaw()
      _ = try await rig.session.getSessionState()
      try await rig.outside.setDefaultSource("mic")
      #expect(try await rig.eventually { $0.server.defaultSourceName == "audiosession.input" })
    }
  }
}

/// A socket where the server's was, that accepts and hangs up.
private struct Impostor {
  private let descriptor: Int32
  private let path: String

  init(_ path: String) throws {
    self.path = path
    descriptor = try boundSocket(SOCK_STREAM, at: path)
    try #require(listen(descriptor, 8) == 0)
  }

  /// Waits for a client, at most twenty seconds.
  func hangUpOnNext() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, 20_000) == 1 else { return false }
    let client = accept(descriptor, nil, nil)
    guard client >= 0 else { return false }
    close(client)
    return true
  }

  func end() {
    close(descriptor)
    unlink(path)
  }
}
