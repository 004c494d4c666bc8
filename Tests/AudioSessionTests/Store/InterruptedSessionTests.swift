import Glibc
import POSIX
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// Another program that has taken the session over.
private struct Rival {
  private let store: SessionStore
  private let lock: Int32
  private let calls = SystemCalls()

  /// Orders the session of a rig to make room, and takes its lock.
  init(to rig: Rig) async throws {
    store = rig.store
    try store.write(
      Order(
        kind: .takeOver, number: store.nextOrderNumber(), process: 1, holder: getpid(),
        timeout: .seconds(20)))
    #expect(await eventually { await rig.session.isInLine })
    lock = try calls.open(store.lockPath, .signing)
    let (calls, lock) = (self.calls, self.lock)
    #expect(await eventually { (try? calls.lock(lock, .exclusive)) == true })
    try sign(.taken(.init(pid: 1, name: "studio", isHolding: true)))
    store.takeBackOrder()
  }

  private func sign(_ last: LockRecord.Last) throws {
    var record = LockRecord()
    record.last = last
    record.interrupted = [getpid()]
    try calls.write(record.bytes, to: lock)
  }

  /// Releases the lock, with what it applied stored.
  func end(storing mode: AudioMode?) throws {
    try store(mode)
    try end()
  }

  func store(_ mode: AudioMode?) throws {
    let generation = store.generation() + 1
    try store.commit(
      mode.map { StoredMode(mode: $0, profile: nil, generation: generation, isActive: true) }, nil)
  }

  func end() throws {
    try sign(.released(by: 1, to: nil))
    calls.unlock(lock)
    try calls.close(lock)
  }
}

/// Sessions of this process while another program has taken them over, and afterwards.
@Suite("Sessions that were taken over", .server, .timeLimit(.minutes(10)))
struct InterruptedSessionTests {
  private static var mode: AudioMode { OtherHolderTests.mode }
  private static var louder: AudioMode { OtherHolderTests.louder }

  @Test func `a session that ends its mode does not resume`() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let rival = try await Rival(to: rig)
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setActive(false)
      }
      #expect(error?.code == .isBusy)
      #expect(
        error?.message.hasSuffix(
          "; the session is inactive now, and does not resume when that process ends") == true,
        "\(error as Any)")
      // The file is the other process's.
      #expect(try rig.store.mode()?.isActive == true)
      #expect(await !rig.session.isInLine)
      try rival.end()
      #expect(try await rig.session.getSessionState().holder == nil)
    }
  }

  @Test func `a session that was taken over does not show itself as the holder`() async throws {
    try await Rig.with(.minimal) { rig in
      let shown = Guarded<SessionState?>(nil)
      let states = rig.session.stateUpdates
      let reader = Task { for await state in states { shown.withLock { $0 = state } } }
      defer { reader.cancel() }
      try await rig.session.setAudioMode(Self.mode)
      #expect(await eventually { shown.withLock { $0?.holder?.pid } == getpid() })
      let rival = try await Rival(to: rig)
      #expect(await eventually { shown.withLock { $0?.interrupted } == true })
      #expect(shown.withLock { $0?.holder?.pid } != getpid())
      try rival.end()
    }
  }

  @Test func `a session that cannot store its mode when it resumes does so once there is room`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      var events = rig.session.events.makeAsyncIterator()
      let rival = try await Rival(to: rig)
      let obstacle = rig.store.files.path(.mode) + ".new"
      try rival.store(Self.louder)
      #expect(mkdir(obstacle, 0o700) == 0)
      try rival.end()
      var failure: SessionError?
      while failure == nil, let event = await events.next() {
        if case .reapplyFailed(let error) = event { failure = error }
      }
      #expect(failure?.code == .storeFailed)
      rmdir(obstacle)
      #expect(await eventually { (try? rig.store.mode())?.mode == Self.mode })
    }
  }

  @Test func `a session behind another of its program is interrupted no longer than the program`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let second = Rig.session(rig.sandbox)
      try await second.setAudioMode(Self.mode)
      // Later than the mode of the second one, which counts for both.
      try await rig.session.setAudioMode(Self.louder)
      let rival = try await Rival(to: rig)
      #expect(await rig.session.isInterrupted)
      // The second one is faster when the other program ends.
      await rig.session.takeTurn()
      try rival.end(storing: Self.mode)
      #expect(await eventually { await second.isHolder })
      #expect(await eventually { (try? rig.store.mode())?.mode == Self.louder })
      await rig.session.passTurn()
      #expect(await eventually { await !rig.session.isInterrupted })
      #expect(await rig.session.isInLine)
      await second.close()
      #expect(await eventually { await rig.session.isHolder })
    }
  }

  @Test func `a mode that has ended meanwhile does not come back with another session`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let second = Rig.session(rig.sandbox)
      try await second.setAudioMode(Self.mode)
      let rival = try await Rival(to: rig)
      await #expect(throws: SessionError.self) { try await rig.session.setActive(false) }
      try rival.end(storing: nil)
      // It has had its turn, and holds nothing.
      #expect(await eventually { await !second.isInLine })
      #expect(await second.life.modeInEffect == nil)
      #expect(try rig.store.mode()?.mode == nil)
      await second.close()
    }
  }

  @Test func `a session that fails to enter another scope resumes`() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let rival = try await Rival(to: rig)
      var mode = Self.mode
      mode.scope = .application
      mode.preferredInput = [.name("absent")]
      mode.inputRequired = true
      mode.inputGain = nil
      let absent = mode
      let events = rig.session.events
      await #expect(throws: SessionError.self) { try await rig.session.setAudioMode(absent) }
      #expect(await rig.session.isInterrupted)
      try rival.end()
      #expect(await eventually { await rig.session.isHolder })
      #expect(try rig.store.mode()?.mode == Self.mode)
      for await event in events {
        if case .interruptionBegan = event { Issue.record("it was interrupted again") }
        guard case .interruptionEnded(let shouldResume) = event else { continue }
        #expect(shouldResume)
        break
      }
    }
  }
}
