import Pulse
import PulseTypes
public import SessionCore

/// What an apply did.
public struct ApplyReport: Sendable {
  /// The planned steps in order, each with its outcome.
  public var steps: [StepResult]
  /// The state after, read back.
  public var state: SessionState
  /// What could not be met, with reasons.
  public var unmet: [Unmet]
  /// What a restore left as somebody else had changed it.
  public var left: [String]
}

extension AudioSession {
  /// Replaces the whole wish, activates the session, and makes it so; all or nothing.
  ///
  /// Returns when the server was read back and says so. What the former mode changed and this one
  /// does not name goes back to what it was. A call that comes while another runs waits; of several
  /// that wait only the last is applied.
  ///
  /// - Parameters:
  ///   - mode: the wish.
  ///   - profile: the name of the profile it came from, for the state.
  /// - Throws: stage `configuration` before anything is read, `device` before anything is written;
  ///   after that what was before is restored, and `restored` says whether that succeeded.
  @discardableResult
  public func setAudioMode(
    _ mode: AudioMode, profile: String? = nil
  ) async throws(SessionError) -> ApplyReport {
    try mode.validate()
    return try await inTurn(.replacesWish) { session, budget throws(SessionError) in
      try await session.apply(OwnWish(mode: mode, profile: profile), budget)
    }
  }

  /// Changes some of the wish and applies the result.
  ///
  /// Starts from the wish in force: this session's, else the stored one; changes that wait for
  /// their turn build on each other.
  @discardableResult
  public func update(
    _ change: @Sendable (inout AudioMode) -> Void
  ) async throws(SessionError) -> ApplyReport {
    try await inTurn(.buildsOnWish) { session, budget throws(SessionError) in
      let live = try await session.connected(budget.run)
      let stored = try await session.currentWish(session.store(live))
      var wish = stored ?? OwnWish(mode: AudioMode(), profile: nil)
      change(&wish.mode)
      try wish.mode.validate()
      return try await session.apply(wish, budget)
    }
  }

  /// Options of `setActive`.
  public struct ActivationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Wraps bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Take the session over from another process (not available in this version: it is `isBusy`).
    public static let takeOver = ActivationOptions(rawValue: 1)
    /// Tell others that they may go on; nothing of theirs is stopped in this version.
    public static let notifyOthersOnDeactivation = ActivationOptions(rawValue: 2)
  }

  /// Applies the wish again, or restores what was before it and keeps the wish for later.
  @discardableResult
  public func setActive(
    _ isActive: Bool, options: ActivationOptions = []
  ) async throws(SessionError) -> ApplyReport {
    try await inTurn(.buildsOnWish) { session, budget throws(SessionError) in
      let live = try await session.connected(budget.run)
      let store = await session.store(live)
      guard let wish = try await session.currentWish(store) else {
        guard !isActive else {
          throw SessionError(
            .activationFailed, stage: .session,
            "there is no wish to activate; call setAudioMode first")
        }
        return try await session.restore(keeping: nil, budget)
      }
      return isActive
        ? try await session.apply(wish, budget)
        : try await session.restore(keeping: wish, budget)
    }
  }

  /// Goes back to what was before the first apply, and forgets the wish.
  ///
  /// Undoes each property that still has the value it was given; what somebody changed since is left
  /// and listed in the report.
  @discardableResult
  public func revert() async throws(SessionError) -> ApplyReport {
    try await inTurn(.replacesWish) { session, budget throws(SessionError) in
      try await session.restore(keeping: nil, budget)
    }
  }

  /// The plan that `setAudioMode` would run now; changes nothing.
  public func plan(for mode: AudioMode) async throws(SessionError) -> Plan {
    try mode.validate()
    let deadline = Deadline(after: configuration.timeout)
    let live = try await connected(deadline)
    return try Plan.make(try await input(mode, live, store(live), isExplicit: true))
  }

  /// What a change does with the wishes of those that wait before it.
  private enum Reach {
    /// They need not run.
    case replacesWish
    /// They must have run.
    case buildsOnWish
  }

  /// Runs a change when those before it are done; one whose wish a later call replaced is not run.
  ///
  /// The time that it may take counts from the call, the wait for its turn included.
  private func inTurn(
    _ reach: Reach,
    _ change: @Sendable (AudioSession, Budget) async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    requests += 1
    let request = requests
    if reach == .replacesWish { lastReplacement = request }
    let budget = Budget(configuration.timeout)
    await takeTurn()
    if request < lastReplacement {
      // The newest is behind this one in the line: let it, then report what it made.
      turns.pass()
      await takeTurn()
      defer { turns.pass() }
      let state = try await sessionState(budget.whole)
      return ApplyReport(steps: [], state: state, unmet: [], left: [])
    }
    defer { turns.pass() }
    guard !budget.run.hasPassed else {
      throw SessionError(
        .timedOut, stage: .session,
        "the session's changes before this one took all of its time; try again")
    }
    return try await change(self, budget)
  }

  private func apply(
    _ wish: OwnWish, _ budget: Budget
  ) async throws(SessionError) -> ApplyReport {
    try await holdingLock(budget) { session, live, store, stop throws(SessionError) in
      var input = try await session.input(wish.mode, live, store, isExplicit: true)
      input.refusals = [:]
      return try await session.reconcile(
        input, live, store, budget, stop, wish: wish, isActive: true)
    }
  }

  private func restore(
    keeping wish: OwnWish?, _ budget: Budget
  ) async throws(SessionError) -> ApplyReport {
    try await holdingLock(budget) { session, live, store, stop throws(SessionError) in
      let input = try await session.input(AudioMode(), live, store, isExplicit: true)
      return try await session.reconcile(
        input, live, store, budget, stop, wish: wish, isActive: false)
    }
  }

  /// Runs a change that a cancelled task does not cut short, under the lock; one that fails gives
  /// the lock back, if it was not held before.
  private func holdingLock(
    _ budget: Budget,
    _ change:
      @escaping @Sendable (AudioSession, LiveServer, SessionStore, StopSignal)
      async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    let live = try await connected(budget.run)
    let store = store(live)
    let wasHeld = lock != nil
    try await takeLock(store, budget.run)
    let stop = StopSignal()
    running = stop
    defer { running = nil }
    if isClosed { stop.set() }
    do throws(SessionError) {
      return try await stop.shielding { () throws(SessionError) in
        try await change(self, live, store, stop)
      }
    } catch {
      await release(live, keepsHolding: wasHeld)
      throw error
    }
  }

  /// Runs the one loop, and writes what it came to; on failure runs it again, back to what was.
  private func reconcile(
    _ input: PlanInput, _ live: LiveServer, _ store: SessionStore, _ budget: Budget,
    _ stop: StopSignal, wish: OwnWish?, isActive: Bool
  ) async throws(SessionError) -> ApplyReport {
    let before = input.baseline
    let generation = try store.generation() + 1
    var run = Reconciler(
      live, store, input, deadline: budget.run, logger: configuration.logger, stop: stop)
    do throws(SessionError) {
      try await run.run()
      let report = try await finish(
        run, live, store, budget,
        wish.map {
          SessionStore.Wish(
            mode: $0.mode, profile: $0.profile, generation: generation, isActive: isActive)
        })
      own = wish
      return report
    } catch {
      guard run.hasWritten else {
        // The journal is on disk, and nothing of it came true.
        try? store.write(before)
        throw error
      }
      throw await rollBack(run, before, live, store, budget, error)
    }
  }

  private func rollBack(
    _ run: Reconciler, _ before: Baseline, _ live: LiveServer, _ store: SessionStore,
    _ budget: Budget, _ cause: SessionError
  ) async -> SessionError {
    var result = cause
    do throws(SessionError) {
      var input = PlanInput(wish: AudioMode(), snapshot: await live.snapshot)
      input.baseline = run.journal
      input.baseline.serverCookie = input.snapshot.server.cookie
      input.memory = run.input.memory
      var back = Reconciler(
        live, store, input, deadline: budget.whole, logger: configuration.logger,
        undoing: run.stored)
      try await back.run()
      // Where this fails, the journal that stays on disk has the same values before.
      try? store.write(before)
      result.restored = true
      result.message += "; everything is as it was before"
    } catch {
      // The store keeps what was before: the next apply or revert goes on from there.
      result.restored = false
      result.message +=
        "; what was before could not be restored (\(error.message)): "
        + "run 'audiosession revert' when the server answers"
    }
    return result
  }

  /// Reads back what is, and writes what was done: the wish last, so that a store which fails
  /// before it leaves the former one.
  private func finish(
    _ run: Reconciler, _ live: LiveServer, _ store: SessionStore, _ budget: Budget,
    _ wish: SessionStore.Wish?
  ) async throws(SessionError) -> ApplyReport {
    let isActive = wish?.isActive == true
    var baseline = isActive ? run.stored : Baseline()
    baseline.settle(in: run.input.snapshot)
    let isKept = configuration.isHolding && isActive
    if !isKept { await live.closePins() }
    // The pins may be gone, and no event tells of a latency.
    try await live.reread(deadline: budget.readBack)
    var input = run.input
    input.baseline = baseline
    let state = await state(live, store, input, wish)
    try store.write(
      SessionStore.Status(
        generation: wish?.generation ?? 0, memory: run.input.memory, state: state))
    try store.write(baseline)
    try store.write(wish)
    refusals = run.input.refusals
    capabilities = run.input.capabilities
    self.isActive = isActive
    upkeep.fights.forget()
    if !isKept { lock = nil }
    publish(state, isOurs: true)
    if isActive { broadcast.emit(.applied) }
    return ApplyReport(
      steps: run.report, state: state, unmet: run.lastPlan.unmet, left: run.firstPlan?.left ?? [])
  }
}
