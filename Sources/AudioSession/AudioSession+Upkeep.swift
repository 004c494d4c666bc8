import Glibc
import Logging
import Pulse
import PulseTypes
import SessionCore

/// What a session keeps in mind to keep its wish so.
struct Upkeep {
  let began = ContinuousClock.now
  var pacer = Pacer()
  var fights = FightWatch()
  /// When the next look is scheduled, so that no second one is.
  var scheduled: Duration?
  var looks = 0
  var resets = 0
  var reapplies = 0
  var isRecovering = false
  var interruptions = InterruptionWatch()
  var grace = GraceWatch()
  /// Whether an interruption that no snapshot shows has ended since the last look.
  var hasResumed = false
  /// The server when the route was last told.
  var told: ServerSnapshot?
  /// The server when the grace time last heard of what is there.
  private var heard: ServerSnapshot?
  /// What waited when it was last told.
  var pending: [Unmet] = []
  /// The state that other processes can read.
  var written: SessionState?
  var manager = ManagerWatch()
  private let awakeBegan = SuspendingClock.now
  private var asleep = Duration.zero
  private var wokeAt: Duration?

  var now: Duration { ContinuousClock.now - began }

  /// When to look next: at what has changed; or, later than `time`, after a truce or at a device that
  /// has stayed.
  func nextLook(after time: Duration) -> Duration? {
    [pacer.nextLook, fights.nextEnd(after: time), grace.nextEnd(after: time)]
      .compactMap { $0 }.min()
  }

  /// Lets the grace time hear of what is there.
  mutating func noteSpots(_ snapshot: ServerSnapshot) {
    if let heard, heard.surelyHasSpots(of: snapshot) { return }
    heard = snapshot
    grace.note(snapshot.spots, at: now)
  }

  /// Whether a look is called for by the moment that an alarm was set for.
  func isDue(_ alarm: Duration) -> Bool {
    nextLook(after: alarm - .nanoseconds(1)).map { $0 <= max(now, alarm) } ?? false
  }

  /// Whether the machine slept and woke within the last seconds: one clock stood still.
  mutating func hasSlept() -> Bool {
    let now = now
    let asleep = now - (SuspendingClock.now - awakeBegan)
    if asleep - self.asleep > .seconds(1) { wokeAt = now }
    self.asleep = asleep
    return wokeAt.map { now - $0 < .seconds(10) } ?? false
  }
}

extension AudioSession {
  /// Called on the loop's thread for each event of the server, and when it is lost.
  func noteChange() {
    guard isKept || broadcast.hasReaders else { return }
    upkeep.pacer.noteChange(at: upkeep.now)
    schedule()
  }

  /// Whether the wish is made so again when something changes.
  private var isKept: Bool { configuration.isHolding && lock != nil && isActive }

  /// Sees to it that the next look is taken when it is due; looks of a burst are one.
  func schedule() {
    guard !isClosed, let due = upkeep.nextLook(after: upkeep.now),
      upkeep.scheduled.map({ due < $0 }) ?? true
    else { return }
    upkeep.scheduled = due
    guard due > upkeep.now else {
      // With the session itself captured it begins on the session's thread, with no hop to a pool.
      Task { await self.look(dueAt: due) }
      return
    }
    let alarm = Deadline(after: max(.zero, due - upkeep.now))
    _ = alarm.onPassing(on: loop) { [weak self] in await self?.look(dueAt: due) }
  }

  /// Compares what is with what is wished, when no change of ours is under way.
  ///
  /// - Parameter alarm: the moment it was called for. In a burst that is put off; and a look that was
  ///   taken while this one waited for its turn has seen what it was for.
  private func look(dueAt alarm: Duration) async {
    if upkeep.scheduled == alarm { upkeep.scheduled = nil }
    guard upkeep.isDue(alarm) else { return schedule() }
    await takeTurn()
    defer {
      turns.pass()
      schedule()
    }
    guard upkeep.isDue(alarm) else { return }
    // Also where there is nothing to look at: what comes with the next connection is made anew whole, and
    // a look that stayed due would be called for again at once.
    upkeep.pacer.beginLook()
    guard !isClosed, let live else { return }
    upkeep.looks += 1
    guard await live.lost == nil else {
      // Not in this turn: who asks for something meanwhile gets an answer, and no wait.
      Task { await recover(from: live) }
      return
    }
    do throws(SessionError) {
      // The end of an interruption must not come before the event of what happened during it.
      if upkeep.hasResumed { await live.doubt() }
      try await live.refresh(rounds: 1, deadline: Deadline(after: configuration.timeout))
      try await live.tendPins(
        for: own?.mode, deadline: Deadline(after: configuration.timeout))
      await live.tendMemories()
      let snapshot = await live.snapshot
      let hasOtherDevices = lastSnapshot.map { snapshot.hasOtherDevices(than: $0) } ?? false
      lastSnapshot = snapshot
      noteRoute(snapshot.route)
      upkeep.manager.note(snapshot.sessionManager?.index, at: upkeep.now)
      if hasOtherDevices { emit(.devicesChanged) }
      upkeep.noteSpots(snapshot)
      let change = noteInterruptions(snapshot)
      let hasResumed = change == .ended || upkeep.hasResumed
      upkeep.hasResumed = false
      if isKept, !upkeep.interruptions.isInterrupted,
        mayReapply(afterRouteChange: hasOtherDevices || hasResumed)
      {
        // What PipeWire's session manager restores after its start is no more somebody's choice than
        // what a server restores: volumes too are put back for a while.
        let isNew = upkeep.manager.isNew(at: upkeep.now)
        try await reapply(live, isNew ? .reset : .upkeep)
      }
      // What went or came while it was put right would else be missed by the grace time.
      upkeep.noteSpots(await live.snapshot)
      if hasResumed, !upkeep.interruptions.isInterrupted { emit(.ended) }
      await publish(try await state(live, store(live)), isOurs: false)
      upkeep.pacer.endLook()
    } catch {
      upkeep.pacer.failLook(at: upkeep.now)
      if isKept { emit(.reapplyFailed(error)) }
    }
  }

  /// Tells the session that the server asked a playing stream of this program to pause, or to go on
  /// (libpulse: `PA_STREAM_EVENT_REQUEST_CORK`, `PA_STREAM_EVENT_REQUEST_UNCORK`).
  ///
  /// For streams that the session did not open; from the first to the last nothing is put back.
  public func noteCorkRequest(toPause isPausing: Bool) {
    guard !isPausing else { return emit(upkeep.interruptions.begin(.corkRequest)) }
    guard upkeep.interruptions.end(where: { $0 == .corkRequest }) == .ended else { return }
    upkeep.hasResumed = true
    upkeep.pacer.noteChange(at: upkeep.now)
    schedule()
  }

  /// While something interrupts the session nothing is put back; that it is over is said once the
  /// whole mode is in force again.
  private func noteInterruptions(_ snapshot: ServerSnapshot) -> InterruptionWatch.Change? {
    let change = upkeep.interruptions.note(
      snapshot, wish: isKept ? own?.mode ?? AudioMode() : AudioMode(), process: getpid())
    if case .began = change { emit(change) }
    return change
  }

  /// Under `on-route-change` a default that changed with no device beside it is somebody's choice.
  private func mayReapply(afterRouteChange: Bool) -> Bool {
    switch own?.mode.reapply ?? .always {
    case .always: true
    case .onRouteChange: afterRouteChange
    case .never: false
    }
  }

  /// Makes the wish so again, where it is not; costs no write where it is.
  func reapply(_ live: LiveServer, _ occasion: Occasion) async throws(SessionError) {
    guard let own else { return }
    let store = store(live)
    var input = try await input(own.mode, live, store, isExplicit: false)
    input.occasion = occasion
    // What was refused before may be possible now; who refuses again and again is given way to.
    input.refusals = [:]
    input.yielded = upkeep.fights.yielded(at: upkeep.now)
    // What is away is waited for, and the rest is kept meanwhile.
    input.wish.onFailure = .bestEffort
    let start = upkeep.now
    var run = Reconciler(
      live, store, input, deadline: Deadline(after: configuration.timeout),
      configuration: configuration)
    let plan = try await run.plan()
    guard !plan.isEmpty else { return }
    emit(.drift(plan.steps.map(\.property).removingDuplicates()))
    do throws(SessionError) {
      try await run.run(plan)
    } catch {
      if occasion == .upkeep { await noteFights(run.attempted, live) }
      throw error
    }
    refusals = run.input.refusals
    capabilities = run.input.capabilities
    var baseline = run.stored
    baseline.settle(in: run.input.snapshot)
    if baseline != input.baseline { try store.write(baseline) }
    // A hint that was not granted must not be asked for again at the next look.
    held = Held(
      baseline: baseline, memory: run.input.memory, wish: try wish(store))
    upkeep.reapplies += 1
    emit(.reapplied(upkeep.now - start))
    if occasion == .upkeep { await noteFights(run.attempted, live) }
  }

  /// A setting that is set again and again is in somebody else's hands: say so, and give way.
  private func noteFights(_ settings: Set<Setting>, _ live: LiveServer) async {
    for setting in settings where upkeep.fights.noteReassertion(of: setting, at: upkeep.now) {
      let opponents = await live.snapshot.likelyOpponents
      configuration.logger?.debug("fight", metadata: ["setting": "\(setting.object)"])
      emit(.fight("\(setting.propertyName) of \(setting.object)", opponents: opponents))
    }
  }
}

// MARK: For streams and programs

extension AudioSession {
  /// Waits without a thread of the system's; throws when the task is cancelled.
  package nonisolated func sleep(
    until moment: ContinuousClock.Instant
  ) async throws(CancellationError) {
    try await loop.sleep(until: moment)
  }

  /// The wish in force; nil where this process has none.
  package var wishInForce: AudioMode? { isActive ? own?.mode : nil }

  /// Whether the wish is still to be made anew after the server went.
  package var isHealing: Bool {
    get async {
      guard isKept else { return false }
      guard let live, !upkeep.isRecovering else { return true }
      return await live.lost != nil
    }
  }
}

// MARK: A server that went

extension AudioSession {
  /// Gives a lost connection up; a holder then waits for the server to come back, and makes
  /// everything anew: no number survives a restart.
  ///
  /// Whoever notices it first does this, be it a call of the owner's that finds it so: what that call
  /// came to, and whether it made the wish so again, is not known here.
  func recover(from live: LiveServer) async {
    guard self.live === live else { return }
    await dropConnection()
    guard !upkeep.isRecovering else { return }
    upkeep.isRecovering = true
    emit(.serverLost)
    let (address, loop) = (SessionStore.canonical(live.address), loop)
    // A session that nobody has any more waits for nothing.
    Task { [weak self] in
      var patience = Patience()
      while true {
        let watch = SocketWatch(address: address)
        guard await self?.reconnect(patience.nextTry) == false else { return }
        patience.noteFailure()
        patience.notePause(hasAppeared: await watch.wait(atMost: patience.pause, on: loop))
      }
    }
  }

  /// True when there is nothing left to recover.
  ///
  /// - Parameter patience: how long a connection may take.
  private func reconnect(_ patience: Duration) async -> Bool {
    await takeTurn()
    defer { turns.pass() }
    guard !isClosed, isHolder else {
      upkeep.isRecovering = false
      return true
    }
    let start = upkeep.now
    do throws(SessionError) {
      // Somebody's call may have connected meanwhile, and have read only; and that connection may be
      // lost again.
      let live = try await connected(Deadline(after: min(patience, configuration.timeout)))
      if isKept, own?.mode.reapply != .never { try await reapply(live, .reset) }
      // Lost again meanwhile: who noticed left it to this.
      guard await live.lost == nil else {
        await dropConnection()
        return false
      }
      upkeep.resets += 1
      upkeep.isRecovering = false
      try await live.tendPins(
        for: own?.mode, deadline: Deadline(after: configuration.timeout))
      let snapshot = await live.snapshot
      lastSnapshot = snapshot
      if snapshot.hasGraph { upkeep.manager.noteReset(at: upkeep.now) }
      emit(.serverReset(upkeep.now - start))
      await publish(try await state(live, store(live)), isOurs: true)
      upkeep.pacer.endLook()
      return true
    } catch {
      configuration.logger?.debug("not reconnected", metadata: ["error": "\(error.message)"])
      await dropConnection()
      // A private server that was thrown away, with all that was kept of it: it does not come back.
      guard store(nil).isThere || orders.watch == nil else {
        Task { await close() }
        return true
      }
      return false
    }
  }
}

extension Array where Element: Hashable {
  /// The elements in their order, each once.
  fileprivate func removingDuplicates() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
