import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// Calls that are cancelled, and sessions that are closed, at moments at which requests are on their
/// way: none waits for a server that does not answer, and none leaves anything.
@Suite("Cancelled calls", .server, .timeLimit(.minutes(10)))
struct CancellationTests {
  private static var mode: AudioMode {
    var mode = AudioMode(category: .record)
    mode.inputGain = Volume(fraction: 0.3)
    return mode
  }

  /// Runs a body in a task that is cancelled already.
  private static func cancelled(_ body: @escaping @Sendable () async -> Void) async {
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await body()
    }.value
  }

  @Test("a first call that is cancelled while it works leaves no holder's mark")
  func mark() async throws {
    try await Rig.with(.minimal) { rig in
      let (reached, reach) = AsyncStream.makeStream(of: Void.self)
      let (gate, open) = AsyncStream.makeStream(of: Void.self)
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/store")
      configuration.observer = SessionObserver(
        willChange: { _, _ in
          reach.finish()
          for await _ in gate {}
        }, didChange: { _, _ in })
      let session = AudioSession(server: rig.sandbox.address, configuration: configuration)
      let call = Task { try await session.setAudioMode(Self.mode) }
      for await _ in reached {}
      call.cancel()
      open.finish()
      let error = await #expect(throws: SessionError.self) { _ = try await call.value }
      #expect(error?.code == .cancelled)
      #expect(try await rig.outside.snapshot().holder(beside: nil) == nil)
      // Neither a mark nor a lock keeps another one out, although the first is not closed.
      let other = Rig.session(rig.sandbox, isHolding: false)
      try await other.setAudioMode(Self.mode)
      await other.close()
      await session.close()
    }
  }

  /// A holder whose next change waits at a gate, and a command.
  private struct Gated {
    let holder: AudioSession
    let command: AudioSession
    /// Ends when the change is at the gate.
    let reached: AsyncStream<Void>
    let gate: AsyncStream<Void>.Continuation

    init(_ rig: Rig) async throws {
      let isShut = Shared(false)
      let (reached, reach) = AsyncStream.makeStream(of: Void.self)
      let (gate, open) = AsyncStream.makeStream(of: Void.self)
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/store")
      configuration.observer = SessionObserver(
        willChange: { _, _ in
          guard isShut.value else { return }
          reach.finish()
          for await _ in gate {}
        }, didChange: { _, _ in })
      let session = AudioSession(server: rig.sandbox.address, configuration: configuration)
      try await session.setAudioMode(CancellationTests.mode)
      isShut.value = true
      holder = session
      command = Rig.session(rig.sandbox, isHolding: false)
      (self.reached, self.gate) = (reached, open)
    }

    /// The command's apply, which is an order to the holder.
    func order() -> Task<ApplyReport, any Error> {
      let command = command
      return Task {
        var mode = CancellationTests.mode
        mode.inputGain = Volume(fraction: 0.6)
        return try await command.setAudioMode(mode)
      }
    }

    /// The command has applied its mode itself.
    func check(_ ordered: Task<ApplyReport, any Error>, _ rig: Rig) async throws {
      #expect(try await ordered.value.state.holder == nil)
      #expect(
        try await rig.outside.source(named: "mic")?.volume.loudest == Volume(fraction: 0.6))
      await command.close()
    }
  }

  @Test("a command whose order is at work when the holder closes carries it out itself")
  func closedDuringOrder() async throws {
    try await Rig.with(.minimal) { rig in
      let gated = try await Gated(rig)
      let ordered = gated.order()
      for await _ in gated.reached {}
      let closing = Task { await gated.holder.close() }
      #expect(await eventually { await gated.holder.isShut })
      gated.gate.finish()
      try await gated.check(ordered, rig)
      await closing.value
    }
  }

  @Test("so does one whose order waits when the holder closes")
  func closedBeforeOrder() async throws {
    try await Rig.with(.minimal) { rig in
      let gated = try await Gated(rig)
      let own = Task { try await gated.holder.setAudioMode(AudioMode(category: .record)) }
      for await _ in gated.reached {}
      let ordered = gated.order()
      #expect(await eventually { await gated.holder.waitingCalls == 1 })
      let closing = Task { await gated.holder.close() }
      #expect(await eventually { await gated.holder.isShut })
      gated.gate.finish()
      let error = await #expect(throws: SessionError.self) { _ = try await own.value }
      #expect(error?.code == .cancelled)
      try await gated.check(ordered, rig)
      await closing.value
    }
  }

  @Test("an order that waits while the holder ends its mode does not make it the holder again")
  func endedBeforeOrder() async throws {
    try await Rig.with(.minimal) { rig in
      let gated = try await Gated(rig)
      let ending = Task { try await gated.holder.setActive(false) }
      for await _ in gated.reached {}
      let ordered = gated.order()
      #expect(await eventually { await gated.holder.waitingCalls == 1 })
      gated.gate.finish()
      _ = try await ending.value
      try await gated.check(ordered, rig)
      #expect(await !gated.holder.isHolder)
      await gated.holder.close()
    }
  }

  @Test("a call that waits for another call's reading ends")
  func besideReading() async throws {
    try await Rig.with(.minimal, timeout: .seconds(60)) { rig in
      let session = rig.session
      _ = try await session.snapshot()
      try await rig.sandbox.freeze()
      let trips = await session.roundTrips
      let reading = Task { try await session.getSessionState() }
      #expect(await eventually { await session.roundTrips > trips })
      let waiting = Task { try await session.getSessionState() }
      // It has begun to wait when a third one is answered.
      _ = await session.isHolder
      let start = ContinuousClock.now
      waiting.cancel()
      let error = await #expect(throws: SessionError.self) { _ = try await waiting.value }
      #expect(error?.code == .cancelled)
      #expect(ContinuousClock.now - start < Rig.standstill)
      reading.cancel()
      _ = try? await reading.value
      try await rig.sandbox.thaw()
    }
  }

  @Test("a session is closed while it connects to a server that does not answer")
  func closedWhileConnecting() async throws {
    try await Rig.with(.minimal, timeout: .seconds(60)) { rig in
      try await rig.sandbox.freeze()
      let call = Task { try await rig.session.setAudioMode(Self.mode) }
      #expect(
        await eventually {
          if case .connecting = await rig.session.connection { true } else { false }
        })
      let start = ContinuousClock.now
      await rig.session.close()
      #expect(ContinuousClock.now - start < Rig.standstill)
      await #expect(throws: SessionError.self) { _ = try await call.value }
      try await rig.sandbox.thaw()
    }
  }

  @Test("a session is closed while upkeep waits for a server that does not answer")
  func closedWhileLooking() async throws {
    try await Rig.with(.minimal) { rig in
      let wire = try await Tripwire.signalling(SIGSTOP, rig.sandbox)
      let session = Rig.session(rig.sandbox, timeout: .seconds(60), logger: wire.logger)
      try await session.setAudioMode(Self.mode)
      // The server is frozen just before the first request of a look, which waits for its answer.
      wire.arm(1)
      let change = Task { [outside = rig.outside] in
        try await outside.setDefaultSource("speakers.monitor")
      }
      #expect(await eventually { wire.hasTripped })
      let start = ContinuousClock.now
      await session.close()
      #expect(ContinuousClock.now - start < Rig.standstill)
      try await rig.sandbox.thaw()
      try await change.value
    }
  }

  @Test("a close that cuts off a look gives other programs their sound back")
  func closedWhileSilencing() async throws {
    try await Rig.with(.minimal) { rig in
      let client = try await PulseClient.connect(
        to: rig.sandbox.address, name: "player", properties: ["application.process.id": "1"])
      let song = try await client.openStream(
        StreamOptions(
          direction: .output, name: "song", device: nil,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      func isMuted() async throws -> Bool? {
        try await client.sinkInputs().first { $0.index == song.index }?.isMuted
      }
      let wire = try await Tripwire.signalling(SIGSTOP, rig.sandbox)
      let session = Rig.session(rig.sandbox, timeout: .seconds(60), logger: wire.logger)
      try await session.setAudioMode(AudioMode(category: .playback, options: [.silenceOthers]))
      #expect(try await isMuted() == true)
      wire.arm(1)
      let change = Task { [outside = rig.outside] in
        try await outside.setDefaultSource("speakers.monitor")
      }
      #expect(await eventually { wire.hasTripped })
      let close = Task { await session.close() }
      // The look is cut off, and the close connects once more.
      #expect(await eventually { await session.live == nil })
      try await rig.sandbox.thaw()
      await close.value
      try await change.value
      #expect(try await isMuted() == false)
      await client.close()
    }
  }

  @Test("a call that joins an attempt to connect keeps its own time limit")
  func joined() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.sandbox.freeze()
      let session = rig.session
      let hasty = Task { try await session.connected(Deadline(after: .seconds(2))) }
      #expect(
        await eventually { if case .connecting = await session.connection { true } else { false } })
      let patient = Task { try await session.connected(Deadline(after: .seconds(20))) }
      let error = await #expect(throws: SessionError.self) { _ = try await hasty.value }
      #expect(error?.code == .timedOut)
      try await rig.sandbox.thaw()
      _ = try await patient.value
    }
  }

  @Test("a change of scope that is cancelled restores the former mode")
  func scope() async throws {
    try await Rig.with(.minimal) { rig in
      let shared = Shared<Task<ApplyReport, any Error>?>(nil)
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/store")
      configuration.observer = SessionObserver(
        willChange: { _, _ in },
        didChange: { change, _ in if change == .revert { shared.value?.cancel() } })
      let session = AudioSession(server: rig.sandbox.address, configuration: configuration)
      try await session.setAudioMode(Self.mode)
      var own = AudioMode(category: .record)
      own.scope = .application
      let (gate, open) = AsyncStream.makeStream(of: Void.self)
      let change = own
      shared.value = Task {
        for await _ in gate {}
        return try await session.setAudioMode(change)
      }
      open.finish()
      let call = try #require(shared.value)
      let error = await #expect(throws: SessionError.self) { _ = try await call.value }
      #expect(error?.code == .cancelled && error?.restored == true, "\(error as Any)")
      let state = try await session.getSessionState()
      #expect(state.scope == .server && state.properties[.inputGain]?.verdict == .applied)
      await session.close()
    }
  }

  @Test("a session of one program that is closed in a cancelled task moves its streams back")
  func streams() async throws {
    try await Rig.with(.nullDevices) { rig in
      try await rig.outside.setDefaultSource("usb_mic")
      let stream = try await rig.outside.openStream(
        StreamOptions(
          direction: .input, name: "ours", device: nil,
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      func source() async throws -> String? {
        let seen = try await rig.outside.snapshot()
        return seen.sourceOutputs.first { $0.index == stream.index }
          .flatMap { seen.device(.input, at: $0.device)?.name }
      }
      let before = try await source()
      var mode = AudioMode(category: .record)
      mode.scope = .application
      mode.preferredInput = ["internal_mic"]
      try await rig.session.setAudioMode(mode)
      #expect(try await source() == "internal_mic" && before != "internal_mic")
      await Self.cancelled { await rig.session.close() }
      #expect(try await source() == before)
      await stream.close()
    }
  }
}
