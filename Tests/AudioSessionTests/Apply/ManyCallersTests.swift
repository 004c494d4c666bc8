import AudioSession
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@Suite("Many callers", .timeLimit(.minutes(10)))
struct ManyCallersTests {
  /// Fails the test when two remaps of ours stand at once: two changes were interleaved.
  private func watchingForTwo(_ rig: Rig, _ body: () async throws -> Void) async throws {
    let watcher = try await PulseClient.connect(to: rig.sandbox.address, name: "watcher")
    try await watcher.subscribe()
    let events = await watcher.events(bufferingNewest: 1 << 16)
    let most = Guarded(0)
    let watching = Task {
      for await event in events where event.facility == .source && event.kind == .new {
        guard let snapshot = try? await watcher.snapshot() else { break }
        let count = snapshot.chain.ownedDevices(.input).count
        most.withLock { $0 = max($0, count) }
      }
    }
    try await body()
    // One that stays: a watcher that sees none would find nothing wrong.
    try await rig.session.setAudioMode(.fullInternal)
    #expect(await eventually { most.withLock(\.self) > 0 })
    await watcher.close()
    await watching.value
    #expect(most.withLock(\.self) == 1)
  }

  @Test(
    "fifty calls at once, in any order: none hangs, none is interleaved, the last word counts",
    .simulatedCard, .timeLimit(.minutes(10)), arguments: [true, false])
  func crowd(isHolding: Bool) async throws {
    try await Rig.with(isHolding: isHolding, timeout: .seconds(20)) { rig in
      let before = try await rig.listing()
      try await watchingForTwo(rig) {
        await withTaskGroup { group in
          for number in 0..<50 { group.addTask { await Self.call(number, rig.session) } }
        }
      }
      #expect(try await rig.session.plan(for: .fullInternal).isEmpty)
      try await rig.session.revert()
      let after = try await rig.listing()
      #expect(after == before, "\(after.difference(from: before))")
    }
  }

  @Test("calls that wait for their turn end when they are cancelled", .server)
  func cancelledInLine() async throws {
    try await Rig.with(.minimal, timeout: .seconds(60)) { rig in
      _ = try await rig.session.snapshot()
      // The call that has its turn waits for the server, which is not cancelled.
      try await rig.sandbox.freeze()
      let calls = (0..<5).map { _ in
        Task { try await rig.session.setAudioMode(AudioMode(category: .record)) }
      }
      let start = ContinuousClock.now
      for call in calls.dropFirst() { call.cancel() }
      for call in calls.dropFirst() {
        let error = await #expect(throws: SessionError.self) { _ = try await call.value }
        #expect(error?.code == .cancelled)
      }
      #expect(ContinuousClock.now - start < Rig.standstill)
      try await rig.sandbox.thaw()
      _ = try await calls[0].value
    }
  }

  /// Calls behind each other: the first has its turn, and waits for a frozen server.
  private struct Line {
    let session: AudioSession
    private(set) var calls: [Task<ApplyReport, any Error>] = []

    init(session: AudioSession) { self.session = session }

    mutating func add(
      _ call: @escaping @Sendable (AudioSession) async throws -> ApplyReport
    ) async {
      let (session, waiting) = (session, calls.count)
      calls.append(Task { try await call(session) })
      #expect(
        await eventually {
          guard await session.hasTurn else { return false }
          return await session.waitingCalls == waiting
        })
    }
  }

  @Test("a call that was to be replaced by one that is cancelled is carried out", .server)
  func cancelledReplacement() async throws {
    try await Rig.with(.minimal, timeout: .seconds(60)) { rig in
      _ = try await rig.session.snapshot()
      // The call that has its turn waits for the server.
      try await rig.sandbox.freeze()
      var line = Line(session: rig.session)
      for percent in [30, 40, 50] {
        var mode = AudioMode(category: .record)
        mode.inputGain = Volume(fraction: Double(percent) / 100)
        let wanted = mode
        await line.add { try await $0.setAudioMode(wanted) }
      }
      let calls = line.calls
      calls[2].cancel()
      await #expect(throws: SessionError.self) { try await calls[2].value }
      try await rig.sandbox.thaw()
      let report = try await calls[1].value
      #expect(report.state.properties[.inputGain]?.verdict == .applied)
      let volume = try await rig.outside.source(named: "mic")?.volume
      #expect(volume?.loudest == Volume(fraction: 0.4))
    }
  }

  private static func call(_ number: Int, _ session: AudioSession) async {
    var mode = AudioMode.fullInternal
    mode.inputGain = Volume(fraction: Double(number + 10) / 100)
    if number.isMultiple(of: 3) { mode.preferredInput = [.name(Names.usbInput)] }
    if number.isMultiple(of: 3) { mode.inputPort = nil }
    if number.isMultiple(of: 3) { mode.polarPattern = nil }
    do throws(SessionError) {
      switch number % 8 {
      case 0, 1: try await session.setAudioMode(mode)
      case 2: try await session.update { $0.inputGain = Volume(fraction: 0.33) }
      case 3: _ = try await session.getSessionState()
      case 4: _ = try await session.plan(for: mode)
      case 5: try await session.setActive(number.isMultiple(of: 2))
      case 6: try await session.revert()
      default: _ = try await session.currentRoute
      }
    } catch {
      // `setActive` where there is no mode yet, or none any more.
      #expect(error.code == .activationFailed && number % 8 == 5, "\(error)")
    }
  }

  @Test(
    "updates at once build on each other, and on the mode before them", .bothServers,
    arguments: Feature.store.servers)
  func updates(on kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind)) { rig in
      let session = rig.session
      try await session.setAudioMode(AudioMode(category: .record))
      async let gain = session.update { $0.inputGain = Volume(fraction: 0.4) }
      async let mute = session.update { $0.inputMuted = true }
      async let volume = session.update { $0.outputVolume = Volume(fraction: 0.3) }
      _ = try await (gain, mute, volume)
      let properties = try await session.getSessionState().properties
      #expect(properties[.inputGain]?.preferred == .number(0.4))
      #expect(properties[.inputMuted]?.preferred == .flag(true))
      #expect(properties[.outputVolume]?.preferred == .number(0.3))
    }
  }

  @Test("calls at once share one connection", .bothServers, arguments: Feature.store.servers)
  func oneConnection(on kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind)) { rig in
      try await withThrowingTaskGroup { group in
        for _ in 0..<20 { group.addTask { try await rig.session.snapshot() } }
        try await group.waitForAll()
      }
      let clients = try await rig.outside.snapshot().clients
      #expect(clients.filter { $0.name == "Audio session" }.count == 1)
    }
  }

  @Test(
    "readings at once lose nothing that an apply has made", .bothServers,
    arguments: Feature.store.servers)
  func readings(on kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind)) { rig in
      var mode = AudioMode(category: .record)
      mode.channelMap = .swap
      let isDone = Shared(false)
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            while !isDone.value {
              _ = try await rig.session.getSessionState()
              await Task.yield()
            }
          }
        }
        for round in 0..<10 {
          mode.channelMap = round.isMultiple(of: 2) ? .swap : .mono
          try await rig.session.setAudioMode(mode)
          let seen = try await rig.snapshot { $0.chain.ownedDevices(.input).count == 1 }
          #expect(seen.chain.ownedDevices(.input).count == 1)
        }
        isDone.value = true
        try await group.waitForAll()
      }
    }
  }

  @Test("cancelled before any request: what was done is undone", .simulatedCard)
  func cancelled() async throws {
    try await stopping { _, task in task.cancel() }
  }

  @Test("closed before any request: what was done is undone", .simulatedCard)
  func closed() async throws {
    try await stopping { session, _ in Task { await session.close() } }
  }

  /// Stops an apply before each of its requests in turn.
  private func stopping(
    _ stop: @escaping @Sendable (AudioSession, Task<Void, any Error>) -> Void
  ) async throws {
    try await Rig.with { rig in
      try await rig.outside.setCardProfile(Names.laptop, "output:analog-stereo")
      let before = try await rig.listing()
      for number in 1...60 {
        let change = Shared<Task<Void, any Error>?>(nil)
        let target = Shared<AudioSession?>(nil)
        let wire = Tripwire {
          if let session = target.value, let task = change.value { stop(session, task) }
        }
        let made = Rig.session(rig.sandbox, timeout: .seconds(20), logger: wire.logger)
        target.value = made
        _ = try await made.snapshot()
        wire.arm(number)
        let task = Task {
          while change.value == nil { await Task.yield() }
          _ = try await made.setAudioMode(.fullInternal)
        }
        change.value = task
        let result = await task.result
        await made.close()
        target.value = nil
        switch result {
        case .success:
          // Stopped too late, or never.
          let other = Rig.session(rig.sandbox, timeout: .seconds(20))
          try await other.revert()
          await other.close()
        case .failure(let error as SessionError):
          #expect(error.code == .cancelled || error.code == .activationFailed, "\(error)")
          #expect(error.restored != false, "\(number): \(error)")
        case .failure(let error): Issue.record(error)
        }
        let after = try await rig.listing(expecting: before)
        #expect(after == before, "\(number): \(after.difference(from: before))")
        if !wire.hasTripped {
          #expect(number > 12, "an apply has more requests")
          return
        }
      }
      Issue.record("an apply has more than 60 requests")
    }
  }

  /// What somebody else asks of a session while it keeps its mode.
  enum Call: CaseIterable {
    case apply, revert

    @discardableResult
    func make(of session: AudioSession) async throws(SessionError) -> ApplyReport {
      switch self {
      case .apply: try await session.setAudioMode(.full)
      case .revert: try await session.revert()
      }
    }
  }

  @Test(
    "a call stops the upkeep before any request of it, and nothing is lost", .simulatedCard,
    arguments: Call.allCases, [false, true])
  func stoppedUpkeep(_ call: Call, changesProfile: Bool) async throws {
    try await Rig.with { rig in
      try await rig.act(on: Names.laptop, "plug", "analog-input-headset-mic")
      try await rig.outside.setCardProfile(Names.laptop, "output:analog-stereo")
      // What the mode names is what it was when the session took charge, whoever changes it later.
      if !changesProfile {
        try await rig.setProfile("output:analog-stereo+input:analog-stereo")
      }
      let before = try await rig.listing()
      // Every day each request meets two of the four.
      let position = (call == .apply ? 0 : 1) + (changesProfile ? 1 : 0)
      for number in 1...60 where EveryDay.has(number, position, part: 2) {
        let target = Shared<AudioSession?>(nil)
        let made = Shared<Task<ApplyReport, any Error>?>(nil)
        // What the session still does for its own mode does not count.
        let isDisturbed = Shared(false)
        let wire = Tripwire(counting: { isDisturbed.value && !$0.hasPrefix("get_") }) {
          // It is in the line before the session's thread goes on.
          made.value = target.value.map { session in
            Task.immediate { try await call.make(of: session) }
          }
        }
        let session = Rig.session(rig.sandbox, logger: wire.logger)
        target.value = session
        try await session.setAudioMode(.fullInternal)
        let events = session.events
        wire.arm(number)
        isDisturbed.value = true
        try await rig.outside.setCardProfile(Names.laptop, "output:analog-stereo")
        while made.value == nil, try await session.getSessionState().reapplies == 0 {}
        // What is asked from here on is not upkeep's.
        wire.arm(0)
        _ = try await session.getSessionState()
        let report = try await made.value?.value
        if let report, call == .apply {
          for (name, property) in report.state.properties where property.preferred != nil {
            #expect(property.verdict == .applied, "\(number): \(name): \(property)")
          }
        }
        let revert = try await session.revert()
        await session.close()
        target.value = nil
        var reapplies = 0
        for await event in events {
          if case .reapplyFailed(let error) = event { Issue.record("\(number): \(error)") }
          if case .reapplied = event { reapplies += 1 }
        }
        #expect(number > 1 || reapplies == 0)
        let after = try await rig.listing(expecting: before)
        #expect(
          after == before,
          """
          \(number): \(after.difference(from: before))
          \(report?.steps ?? []), \(revert.steps) \(revert.left), \(reapplies)
          """)
        if !wire.hasTripped {
          #expect(number > 1, "the upkeep of one change has no request")
          return
        }
      }
      Issue.record("the upkeep of one change has more than 60 requests")
    }
  }

  @Test("a session that goes without a close ends its events, streams and lock", .server)
  func forgotten() async throws {
    try await Rig.with(.minimal) { rig in
      var session: AudioSession? = Rig.session(rig.sandbox)
      weak let gone = session
      var mode = AudioMode(category: .record)
      mode.ioBufferDuration = .milliseconds(10)
      try await session?.setAudioMode(mode)
      let events = session!.events
      let states = session!.stateUpdates
      session = nil
      for await _ in events {}
      for await _ in states {}
      #expect(gone == nil)
      #expect(try await rig.eventually { $0.sourceOutputs.isEmpty && $0.clients.count == 1 })
      try await rig.session.setAudioMode(AudioMode(category: .record))
    }
  }

  @Test("a session that goes while its server is away waits for nothing", .server)
  func forgottenWithoutServer() async throws {
    try await Rig.with(.minimal) { rig in
      var session: AudioSession? = Rig.session(rig.sandbox)
      weak let gone = session
      try await session?.setAudioMode(AudioMode(category: .record))
      var events = session!.events.makeAsyncIterator()
      try await rig.sandbox.kill()
      while let event = await events.next(), event != .serverLost {}
      session = nil
      while await events.next() != nil {}
      #expect(gone == nil)
    }
  }

  @Test("sessions that apply at the same time take turns", .simulatedCard)
  func sessions() async throws {
    try await Rig.with { rig in
      let before = try await rig.listing()
      try await watchingForTwo(rig) {
        try await withThrowingTaskGroup { group in
          for number in 0..<4 {
            group.addTask {
              let session = Rig.session(rig.sandbox, isHolding: false)
              var mode = AudioMode.fullInternal
              mode.inputGain = Volume(fraction: Double(number + 1) / 10)
              for _ in 0..<3 { try await session.setAudioMode(mode) }
              await session.close()
            }
          }
          try await group.waitForAll()
        }
      }
      try await rig.session.revert()
      let after = try await rig.listing(expecting: before)
      #expect(after == before, "\(after.difference(from: before))")
    }
  }

  @Test("a call that let a failing one pass is not carried out after a later one", .server)
  func overtaken() async throws {
    try await Rig.with(.minimal, timeout: .seconds(60)) { rig in
      _ = try await rig.session.snapshot()
      let before = try await rig.outside.source(named: "mic")?.volume
      // The call that has its turn waits for the server.
      try await rig.sandbox.freeze()
      var line = Line(session: rig.session)
      var mode = AudioMode(category: .record)
      mode.inputGain = Volume(fraction: 0.3)
      var absent = mode
      absent.preferredInput = [.name("absent")]
      absent.inputRequired = true
      for mode in [mode, mode, absent] { await line.add { try await $0.setAudioMode(mode) } }
      await line.add { try await $0.setActive(false) }
      try await rig.sandbox.thaw()
      _ = try await line.calls[3].value
      await #expect(throws: SessionError.self) { try await line.calls[2].value }
      for call in line.calls[..<2] { _ = try? await call.value }
      #expect(try await rig.session.getSessionState().active == false)
      #expect(try await rig.outside.source(named: "mic")?.volume == before)
    }
  }

  @Test(
    "an update that let a failing call pass is carried out, whatever was updated since", .server)
  func overtakenUpdate() async throws {
    try await Rig.with(.minimal, timeout: .seconds(60)) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .playAndRecord))
      try await rig.sandbox.freeze()
      var absent = AudioMode(category: .record)
      absent.preferredInput = [.name("absent")]
      absent.inputRequired = true
      let wanted = absent
      var line = Line(session: rig.session)
      await line.add { try await $0.setActive(true) }
      await line.add { try await $0.update { $0.inputGain = Volume(fraction: 0.4) } }
      await line.add { try await $0.setAudioMode(wanted) }
      await line.add { try await $0.update { $0.outputVolume = Volume(fraction: 0.3) } }
      try await rig.sandbox.thaw()
      for call in line.calls { _ = try? await call.value }
      let properties = try await rig.session.getSessionState().properties
      #expect(properties[.inputGain]?.actual == .number(0.4))
      #expect(properties[.outputVolume]?.actual == .number(0.3))
    }
  }

  /// A session that is opened again by a call after its close, with a call in progress that waits at a gate.
  private struct Reopening {
    let session: AudioSession
    let gate: AsyncStream<Void>.Continuation
    let first: Task<ApplyReport, any Error>
    /// How many calls wait behind it.
    private var waiting = 0

    init(_ rig: Rig) async throws {
      let (reached, reach) = AsyncStream.makeStream(of: Void.self)
      let (gate, open) = AsyncStream.makeStream(of: Void.self)
      var configuration = SessionConfiguration(
        timeout: .seconds(60), storeFolder: rig.sandbox.directory + "/store")
      configuration.reopens = true
      configuration.observer = SessionObserver(
        willChange: { _, _ in
          reach.finish()
          for await _ in gate {}
        }, didChange: { _, _ in })
      let session = AudioSession(server: rig.sandbox.address, configuration: configuration)
      self.session = session
      self.gate = open
      first = Task { try await session.setAudioMode(AudioMode(category: .playback)) }
      for await _ in reached {}
    }

    mutating func apply(_ gain: Double) async -> Task<ApplyReport, any Error> {
      await add { session in
        var mode = AudioMode(category: .record)
        mode.inputGain = Volume(fraction: gain)
        return try await session.setAudioMode(mode)
      }
    }

    mutating func close() async -> Task<Void, any Error> { await add { await $0.close() } }

    private mutating func add<Result: Sendable>(
      _ call: @escaping @Sendable (AudioSession) async throws -> Result
    ) async -> Task<Result, any Error> {
      waiting += 1
      let (session, waiting) = (session, waiting)
      let task = Task { try await call(session) }
      #expect(await eventually { await session.waitingCalls == waiting })
      return task
    }

    /// Fails unless a call that a later close has overtaken is not carried out.
    func expectClosed(
      _ rig: Rig, _ calls: [Task<ApplyReport, any Error>], _ closes: [Task<Void, any Error>]
    ) async throws {
      gate.finish()
      _ = try? await first.value
      for close in closes { try await close.value }
      for call in calls {
        let error = await #expect(throws: SessionError.self) { _ = try await call.value }
        #expect(error?.message.contains("closed") == true, "\(error as Any)")
      }
      #expect(await session.isShut)
      #expect(try await rig.session.getSessionState().holder == nil)
      // A later call opens it again.
      _ = try await session.snapshot()
      await session.close()
    }
  }

  @Test("a call that let a later one pass is not carried out after a close of both", .server)
  func overtakenByClose() async throws {
    try await Rig.with(.minimal) { rig in
      var line = try await Reopening(rig)
      let calls = [await line.apply(0.3), await line.apply(0.4)]
      let close = await line.close()
      try await line.expectClosed(rig, calls, [close])
    }
  }

  @Test("a close ends the calls before it, also while an earlier one has not closed yet", .server)
  func closedAgain() async throws {
    try await Rig.with(.minimal) { rig in
      var line = try await Reopening(rig)
      let first = await line.close()
      let call = await line.apply(0.3)
      let second = await line.close()
      try await line.expectClosed(rig, [call], [first, second])
    }
  }
}
