import Foundation
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@testable import AudioSession

/// Orders as they arrive at a holder, and holders that cannot be asked or ended.
@Suite("Holders and orders", .server, .timeLimit(.minutes(10)))
struct OtherHolderTests {
  static var mode: AudioMode {
    var mode = AudioMode(category: .record)
    mode.inputGain = Volume(fraction: 0.3)
    return mode
  }

  @Test func `the order of a process that has ended is not carried out, the next one is`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      let before = try await rig.outside.snapshot().device(.input, named: "mic")?.volume
      let store = rig.store
      try store.prepare()
      // The session finds it when it takes the lock.
      var order = Order(
        kind: .revert(keepsMode: false, forgets: false), number: store.nextOrderNumber(),
        process: .max, holder: getpid(), timeout: .seconds(20))
      try store.write(order)
      try await rig.session.setAudioMode(Self.mode)
      #expect(try store.mode()?.isActive == true && store.answer() == nil)
      (order.kind, order.number) = (.revert(keepsMode: true, forgets: false), order.number + 1)
      order.process = getpid()
      try store.write(order)
      #expect(await eventually { store.answer()?.number == order.number })
      #expect(store.answer()?.error == nil)
      store.takeBackOrder()
      // The mode ended, and is kept for later.
      #expect(try store.mode()?.isActive == false)
      #expect(try await rig.outside.snapshot().device(.input, named: "mic")?.volume == before)
    }
  }

  /// Gives the holder an order, as a command does, and waits for its answer.
  private func give(_ mode: AudioMode, to rig: Rig) async throws -> Answer? {
    let store = rig.store
    let number = store.nextOrderNumber()
    try store.write(
      Order(
        kind: .apply(mode, profile: nil), number: number, process: getpid(), holder: getpid(),
        timeout: .seconds(20)))
    #expect(await eventually { store.answer()?.number == number })
    let answer = store.answer()
    store.takeBackOrder()
    return answer
  }

  @Test(.simulatedCard) func `an order ends an override of the port`() async throws {
    try await Rig.with(.quiet) { rig in
      let (speaker, headphones) = ("analog-output-speaker", "analog-output-headphones")
      try await rig.plug(headphones)
      var mode = AudioMode(category: .playAndRecord)
      mode.preferredOutput = [.name(Names.laptopOutput)]
      mode.outputPort = [.name(headphones), .name(speaker)]
      try await rig.session.setAudioMode(mode)
      try await rig.session.overrideOutputPort(.speaker)
      let answer = try await give(mode, to: rig)
      #expect(answer?.error == nil)
      let report = answer?.report?.state.properties[.outputPort]
      #expect(report?.preferred == .strings([headphones, speaker]), "\(report as Any)")
      #expect(
        try await rig.eventually {
          $0.device(.output, named: Names.laptopOutput)?.activePort == headphones
        })
    }
  }

  /// A call that waits for an input that is not there.
  private func waitForAbsent(_ rig: Rig) async throws -> Task<ApplyReport, any Error> {
    try await rig.session.setAudioMode(Self.mode)
    var absent = Self.mode
    absent.preferredInput = [.name("absent")]
    absent.inputRequired = true
    let wanted = absent
    let waiting = Task { try await rig.session.setAudioMode(wanted, options: .waits) }
    #expect(await eventually { await rig.session.isPausing })
    return waiting
  }

  @Test func `an order takes the place of a call that waits`() async throws {
    try await Rig.with(.minimal) { rig in
      let waiting = try await waitForAbsent(rig)
      var ordered = Self.mode
      ordered.inputGain = Volume(fraction: 0.6)
      let answer = try await give(ordered, to: rig)
      #expect(answer?.error == nil)
      let error = await #expect(throws: SessionError.self) { try await waiting.value }
      #expect(error?.code == .cancelled)
      #expect(
        try await rig.outside.source(named: "mic")?.volume.loudest == Volume(fraction: 0.6))
    }
  }

  @Test func `an update takes the place of a call that waits`() async throws {
    try await Rig.with(.minimal) { rig in
      let waiting = try await waitForAbsent(rig)
      try await rig.session.update { $0.inputGain = Volume(fraction: 0.6) }
      let error = await #expect(throws: SessionError.self) { try await waiting.value }
      #expect(error?.code == .cancelled)
      #expect(
        try await rig.outside.source(named: "mic")?.volume.loudest == Volume(fraction: 0.6))
    }
  }

  @Test
  func `who hands a change over learns that it is applied, and which categories there can be`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let second = Rig.session(rig.sandbox)
      var events = second.events.makeAsyncIterator()
      try await second.setAudioMode(Self.louder)
      #expect(await events.next() == .applied)
      let few = try await second.availableCategories
      #expect(few.contains(.playback) && !few.contains(.multiRoute))
      _ = try await rig.outside.loadModule("module-null-sink", "sink_name=another")
      #expect(
        await eventually { (try? await second.availableCategories)?.contains(.multiRoute) == true })
      await second.close()
    }
  }

  @Test func `an answer that cannot be written is logged, as damage is`() async throws {
    try await Rig.with(.minimal) { rig in
      let store = rig.store
      try store.prepare()
      try store.files.write([1, 2, 3], to: .baseline)
      let damage = Tripwire(counting: { $0.contains("is damaged") }) {}
      damage.arm(1)
      let session = Rig.session(rig.sandbox, logger: damage.logger)
      try await session.setAudioMode(Self.mode)
      #expect(damage.hasTripped)
      await session.close()
      let silence = Tripwire(counting: { $0.contains("no answer written") }) {}
      silence.arm(1)
      let holder = Rig.session(rig.sandbox, logger: silence.logger)
      try await holder.setAudioMode(Self.mode)
      mkdir(store.files.path(.answer) + ".new", 0o700)
      try store.write(
        Order(
          kind: .apply(Self.mode, profile: nil), number: store.nextOrderNumber(),
          process: getpid(), holder: getpid(), timeout: .seconds(20)))
      #expect(await eventually { silence.hasTripped })
      store.takeBackOrder()
      await holder.close()
    }
  }

  @Test func `a holder of another machine is seen by its mark, and cannot be asked or ended`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      let mark = HolderMark(isClaim: false, process: 4711, files: "elsewhere", name: "studio")
      try await rig.outside.updateProperties([HolderMark.key: mark.text])
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(Self.mode)
      }
      #expect(error?.code == .isBusy)
      #expect(error?.message.contains("studio (process 4711)") == true)
      let refusal = await #expect(throws: SessionError.self) {
        try await rig.session.endHolder()
      }
      #expect(refusal?.code == .isBusy)
    }
  }

  @Test func `a holder that has ended may still be listed for a second`() async throws {
    try await Rig.with(.minimal) { rig in
      let mark = HolderMark(isClaim: false, process: 4711, files: "elsewhere", name: "studio")
      for number in 1...5 {
        noteTry(number, of: 5)
        try await rig.outside.updateProperties([HolderMark.key: mark.text])
        let call = Task { try await rig.session.setAudioMode(Self.mode) }
        try await rig.session.sleep(until: .now + .seconds(1))
        try await rig.outside.updateProperties([HolderMark.key: ""])
        do {
          _ = try await call.value
          return
        } catch let error as SessionError where error.code == .isBusy && number < 5 {
          // The machine stood still for the second that was left.
        }
      }
    }
  }

  /// A cancelled task sends no mark, and waited for it to appear: 70 % of the time limit.
  @Test func `a call that is cancelled while it marks its server ends at once`() async throws {
    try await Rig.with(.minimal) { rig in
      for moment in stride(from: 0, to: 20, by: 0.25) {
        let session = Rig.session(rig.sandbox, timeout: .seconds(60))
        let call = Task { try await session.setAudioMode(Self.mode) }
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(moment) { await Task.yield() }
        call.cancel()
        _ = try? await call.value
        await session.close()
        #expect(ContinuousClock.now - start < Rig.standstill, "cancelled after \(moment) ms")
      }
    }
  }

  /// The files that this process has open at a path.
  private func openCount(_ path: String) -> Int {
    let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return links.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
  }

  @Test func `a call that waits behind another to ask the holder ends when it is cancelled`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let path = rig.store.files.path(.orderLock)
      let other = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(other) }
      #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
      let session = Rig.session(rig.sandbox, isHolding: false, timeout: .seconds(60))
      let call = Task { try await session.setAudioMode(Self.mode) }
      #expect(await eventually { openCount(path) == 2 })
      call.cancel()
      let start = ContinuousClock.now
      let error = await #expect(throws: SessionError.self) { _ = try await call.value }
      #expect(error?.code == .cancelled)
      #expect(ContinuousClock.now - start < Rig.standstill)
      await session.close()
    }
  }

  /// Writes a holder into the record of a lock.
  private func sign(_ lock: Int32, _ pid: Int32, _ name: String) throws {
    var record = LockRecord()
    record.last = .taken(.init(pid: pid, name: name, isHolding: true))
    try SystemCalls().write(record.bytes, to: lock)
  }

  private func failureToEnd(_ session: AudioSession) async -> SessionError? {
    await #expect(throws: SessionError.self) { _ = try await session.endHolder() }
  }

  @Test func `no process here is ended for a holder of another machine`() async throws {
    try await Rig.with(.minimal) { rig in
      let (store, calls) = (rig.store, SystemCalls())
      try store.prepare()
      let lock = try calls.open(store.lockPath, .signing)
      #expect(try calls.lock(lock, .exclusive))
      // Another program has the number here.
      let other = try Launch(program: "/bin/sleep", arguments: ["60"]).spawn()
      try sign(lock, other, ProcessName.own)
      let foreign = await failureToEnd(rig.session)
      #expect(foreign?.code == .isBusy, "\(foreign as Any)")
      #expect(foreign?.message.contains("there is no such process here") == true)
      // It is this that ends it.
      kill(other, SIGKILL)
      #expect(reap(other) == 128 + SIGKILL)
      // No process has it.
      try sign(lock, .max, ProcessName.own)
      let absent = await failureToEnd(rig.session)
      #expect(absent?.code == .isBusy, "\(absent as Any)")
      calls.unlock(lock)
      #expect(try await rig.session.endHolder() == nil)
      try calls.close(lock)
    }
  }

  @Test func `a holder that has its own session is not ended, and one that stays is reported`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      let (store, calls) = (rig.store, SystemCalls())
      try store.prepare()
      let lock = try calls.open(store.lockPath, .signing)
      #expect(try calls.lock(lock, .exclusive))
      try sign(lock, 1, "studio")
      let busy = await failureToEnd(rig.session)
      #expect(busy?.code == .isBusy && busy?.message.contains("program of its own") == true)
      // A holder that hears the signal, and goes on. It has a holder's name.
      let folder = rig.sandbox.directory
      let script = """
        printf %s '\(ProcessName.own)' > /proc/$$/comm; trap 'echo > \(folder)/heard' TERM
        echo $$ > \(folder)/process; while :; do sleep 0.02; done
        """
      let sandbox = rig.sandbox
      let running = Task { try await sandbox.capture(["sh", "-c", script], timeout: .seconds(60)) }
      func process() -> Int32? {
        (try? SystemCalls().content(of: folder + "/process")).flatMap { $0 }.flatMap {
          Int32(String(decoding: $0.dropLast(), as: UTF8.self))
        }
      }
      #expect(await eventually { process() != nil })
      try sign(lock, try #require(process()), ProcessName.own)
      let stopping = Task { try await rig.session.endHolder() }
      #expect(await eventually { access(folder + "/heard", F_OK) == 0 })
      stopping.cancel()
      let cancelled = await #expect(throws: SessionError.self) { _ = try await stopping.value }
      #expect(cancelled?.code == .cancelled)
      let hasty = Rig.session(rig.sandbox, isHolding: false, timeout: .seconds(3))
      let late = await failureToEnd(hasty)
      #expect(late?.code == .timedOut)
      #expect(late?.message.contains("has not ended") == true, "\(late as Any)")
      await hasty.close()
      running.cancel()
      _ = try? await running.value
      try calls.close(lock)
    }
  }

  @Test func `a process that was interrupted and does not come keeps nobody waiting for long`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      let (store, calls) = (rig.store, SystemCalls())
      try store.prepare()
      let lock = try calls.open(store.lockPath, .signing)
      var record = LockRecord()
      record.last = .released(by: .max, to: nil)
      record.interrupted = [1]
      try calls.write(record.bytes, to: lock)
      try calls.close(lock)
      let session = Rig.session(rig.sandbox, isHolding: false, timeout: .seconds(2))
      try await patiently { () throws(SessionError) in try await session.setAudioMode(Self.mode) }
      await session.close()
    }
  }

  @Test func `a session that is closed withdraws what the holder has not done`() async throws {
    try await Rig.with(.minimal) { rig in
      let (store, calls) = (rig.store, SystemCalls())
      try store.prepare()
      let lock = try calls.open(store.lockPath, .signing)
      #expect(try calls.lock(lock, .exclusive))
      // It answers nothing.
      let holder = try Launch(program: "/bin/sleep", arguments: ["60"]).spawn()
      try sign(lock, holder, ProcessName.own)
      let session = Rig.session(rig.sandbox, isHolding: false, timeout: .seconds(60))
      let call = Task { try await session.setAudioMode(Self.mode) }
      #expect(await eventually { File.status(store.files.path(.order)) != nil })
      let time = await ContinuousClock().measure { await session.close() }
      #expect(time < Rig.standstill, "\(time)")
      let error = await #expect(throws: SessionError.self) { _ = try await call.value }
      #expect(error?.code == .cancelled, "\(error as Any)")
      #expect(File.status(store.files.path(.order)) == nil)
      kill(holder, SIGKILL)
      reap(holder)
      try calls.close(lock)
    }
  }

  @Test func `a second session that reverts does not become the holder`() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let second = Rig.session(rig.sandbox)
      try await second.revert()
      #expect(await !second.isInLine)
      await rig.session.close()
      let command = Rig.session(rig.sandbox, isHolding: false)
      try await command.setAudioMode(Self.mode)
      try await command.revert()
      await command.close()
      await second.close()
    }
  }

  @Test func `a mode that a command reverts does not come back with the next session`()
    async throws
  {
    try await Rig.with(.minimal) { rig in
      let before = try await rig.outside.snapshot().device(.input, named: "mic")?.volume
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let second = Rig.session(rig.sandbox)
      try await second.setAudioMode(Self.mode)
      let command = Rig.session(rig.sandbox, isHolding: false)
      try await command.revert()
      await command.close()
      await rig.session.close()
      // It has had its turn, and holds nothing.
      #expect(
        await eventually {
          let life = await second.life
          return !life.isWaiting && life.lock == nil
        })
      #expect(try rig.store.mode()?.mode == nil)
      #expect(try await rig.outside.snapshot().device(.input, named: "mic")?.volume == before)
      await second.close()
    }
  }

  private func service(_ rig: Rig) -> AudioSession {
    var configuration = SessionConfiguration(
      timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/store")
    configuration.holdsWithoutMode = true
    return AudioSession(server: rig.sandbox.address, configuration: configuration)
  }

  /// The former holder releases the lock before it answers: the wait ends where it begins.
  @Test func `a service that reverts through another session takes its place`() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(Self.mode)
      let service = service(rig)
      try await service.revert()
      #expect(await eventually { await service.isHolder })
      await service.close()
    }
  }

  @Test func `a service whose first apply fails leaves what is in effect`() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      let late = try await rig.outside.loadModule("module-null-source", "source_name=late")
      var mode = AudioMode(category: .playAndRecord)
      mode.preferredInput = [.name("late")]
      mode.inputRequired = true
      mode.outputVolume = Volume(fraction: 0.3)
      try await rig.session.setAudioMode(mode)
      try await rig.outside.unloadModule(late)
      let service = service(rig)
      let error = await #expect(throws: SessionError.self) { try await service.hold() }
      #expect(error?.code == .inputNotAvailable)
      #expect(await service.isHolder)
      // A look has nothing to restore.
      #expect(await service.life.duty == nil)
      #expect(
        try await rig.outside.sink(named: "speakers")?.volume.loudest == Volume(fraction: 0.3))
      try await service.revert()
      #expect(try await rig.outside.sink(named: "speakers")?.volume.loudest == .norm)
      await service.close()
    }
  }

  /// A call of a session without a mode of its own that begins while a command has the lock. The command
  /// ends with another mode stored, or none.
  private func begin(
    _ session: AudioSession, beside rig: Rig, storing mode: AudioMode?,
    onceIt isReady: (AudioSession) async -> Bool = { await $0.roundTrips > 0 },
    _ call: @escaping @Sendable (AudioSession) async throws -> ApplyReport
  ) async throws -> ApplyReport {
    let (store, calls) = (rig.store, SystemCalls())
    try await rig.session.setAudioMode(Self.mode)
    let lock = try calls.open(store.lockPath, .signing)
    #expect(try calls.lock(lock, .exclusive))
    var record = LockRecord()
    record.last = .taken(.init(pid: getpid(), name: "command", isHolding: false))
    try calls.write(record.bytes, to: lock)
    let begun = Task { try await call(session) }
    // The stored mode is read by then, and the server once more; what comes next needs the lock.
    #expect(await eventually { await isReady(session) })
    let generation = store.generation() + 1
    try store.commit(
      mode.map {
        StoredMode(mode: $0, profile: nil, generation: generation, isActive: true)
      }, nil)
    calls.unlock(lock)
    try calls.close(lock)
    return try await begun.value
  }

  static var louder: AudioMode {
    var mode = Self.mode
    mode.inputGain = Volume(fraction: 0.6)
    return mode
  }

  @Test func `a service that starts beside a command maintains what the command applied`()
    async throws
  {
    try await Rig.with(.minimal, isHolding: false) { rig in
      let service = service(rig)
      let report = try await begin(service, beside: rig, storing: Self.louder) {
        try await $0.hold()
      }
      #expect(report.state.active)
      #expect(try rig.store.mode()?.mode == Self.louder)
      #expect(
        try await rig.outside.source(named: "mic")?.volume.loudest == Volume(fraction: 0.6))
      await service.close()
    }
  }

  @Test func `a service that starts beside a command does not undo its revert`() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      let service = service(rig)
      let report = try await begin(service, beside: rig, storing: nil) { try await $0.hold() }
      #expect(!report.state.active)
      #expect(try rig.store.mode()?.mode == nil)
      #expect(await service.isHolder)
      await service.close()
    }
  }

  @Test func `a deactivation beside a command keeps what the command stored`() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      let session = Rig.session(rig.sandbox)
      let report = try await begin(
        session, beside: rig, storing: Self.louder, onceIt: { await $0.lastSnapshot != nil }
      ) {
        try await $0.setActive(false)
      }
      #expect(!report.state.active)
      let stored = try #require(try rig.store.mode())
      #expect(stored.mode == Self.louder && !stored.isActive)
      await session.close()
    }
  }

  @Test func `an activation beside a command activates what the command stored`() async throws {
    for stored in [Self.louder, nil] {
      try await Rig.with(.minimal, isHolding: false) { rig in
        let session = Rig.session(rig.sandbox, isHolding: false)
        do {
          _ = try await begin(session, beside: rig, storing: stored) {
            try await $0.setActive(true)
          }
          #expect(stored != nil)
        } catch let error as SessionError {
          #expect(stored == nil && error.code == .activationFailed, "\(error)")
        }
        #expect(try rig.store.mode()?.mode == stored)
        await session.close()
      }
    }
  }
}
