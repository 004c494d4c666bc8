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
    return try await inTurn { session, deadline throws(SessionError) in
      try await session.apply(OwnWish(mode: mode, profile: profile), deadline)
    }
  }

  /// Changes some of the wish and applies the result.
  ///
  /// Starts from the wish in force: this session's, else the stored one.
  @discardableResult
  public func update(
    _ change: @Sendable (inout AudioMode) -> Void
  ) async throws(SessionError) -> ApplyReport {
    let deadline = Deadline(after: configuration.timeout)
    let live = try await connected(deadline)
    var wish = try currentWish(store(live)) ?? OwnWish(mode: AudioMode(), profile: nil)
    change(&wish.mode)
    return try await setAudioMode(wish.mode, profile: wish.profile)
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
    try await inTurn { session, deadline throws(SessionError) in
      let live = try await session.connected(deadline)
      let store = await session.store(live)
      guard let wish = try await session.currentWish(store) else {
        guard !isActive else {
          throw SessionError(
            .activationFailed, stage: .session,
            "there is no wish to activate; call setAudioMode first")
        }
        return try await session.restore(keeping: nil, deadline)
      }
      return isActive
        ? try await session.apply(wish, deadline)
        : try await session.restore(keeping: wish, deadline)
    }
  }

  /// Goes back to what was before the first apply, and forgets the wish.
  ///
  /// Undoes each property that still has the value it was given; what somebody changed since is left
  /// and listed in the report.
  @discardableResult
  public func revert() async throws(SessionError) -> ApplyReport {
    try await inTurn { session, deadline throws(SessionError) in
      try await session.restore(keeping: nil, deadline)
    }
  }

  /// The plan that `setAudioMode` would run now; changes nothing.
  public func plan(for mode: AudioMode) async throws(SessionError) -> Plan {
    try mode.validate()
    let deadline = Deadline(after: configuration.timeout)
    let live = try await connected(deadline)
    try await live.refresh(deadline: deadline)
    return try Plan.make(try await input(mode, live, store(live), isExplicit: true))
  }

  /// Runs a change when those before it are done; one that a later call replaced is not run.
  private func inTurn(
    _ change: @Sendable (AudioSession, Deadline) async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    latestRequest += 1
    let request = latestRequest
    await takeTurn()
    if request != latestRequest {
      // The newest is behind this one in the line: let it, then report what it made.
      turns.pass()
      await takeTurn()
      defer { turns.pass() }
      let state = try await getSessionState()
      return ApplyReport(steps: [], state: state, unmet: [], left: [])
    }
    defer { turns.pass() }
    // Part of the time is kept for the rollback, so that a call never takes longer than it may.
    return try await change(self, Deadline(after: configuration.timeout * 7 / 10))
  }

  private func apply(
    _ wish: OwnWish, _ deadline: Deadline
  ) async throws(SessionError) -> ApplyReport {
    let live = try await connected(deadline)
    let store = store(live)
    try await takeLock(store, deadline)
    return try await shielded(live) { session, stop throws(SessionError) in
      try await session.apply(wish, live, store, deadline, stop)
    }
  }

  private func apply(
    _ wish: OwnWish, _ live: LiveServer, _ store: SessionStore, _ deadline: Deadline,
    _ stop: StopSignal
  ) async throws(SessionError) -> ApplyReport {
    let generation = (try store.wish()?.generation ?? 0) + 1
    var input = try await input(wish.mode, live, store, isExplicit: true)
    input.refusals = [:]
    let run = try await reconcile(input, live, store, deadline, stop)
    own = wish
    return try await finish(
      run, live, store,
      SessionStore.Wish(
        mode: wish.mode, profile: wish.profile, generation: generation, isActive: true))
  }

  private func restore(
    keeping wish: OwnWish?, _ deadline: Deadline
  ) async throws(SessionError) -> ApplyReport {
    let live = try await connected(deadline)
    let store = store(live)
    try await takeLock(store, deadline)
    return try await shielded(live) { session, stop throws(SessionError) in
      try await session.restore(keeping: wish, live, store, deadline, stop)
    }
  }

  private func restore(
    keeping wish: OwnWish?, _ live: LiveServer, _ store: SessionStore, _ deadline: Deadline,
    _ stop: StopSignal
  ) async throws(SessionError) -> ApplyReport {
    let generation = (try store.wish()?.generation ?? 0) + 1
    let input = try await input(AudioMode(), live, store, isExplicit: true)
    let run = try await reconcile(input, live, store, deadline, stop)
    try store.write(Baseline())
    own = wish
    return try await finish(
      run, live, store,
      wish.map {
        SessionStore.Wish(
          mode: $0.mode, profile: $0.profile, generation: generation, isActive: false)
      })
  }

  /// Runs a change that a cancelled task does not cut short; one that fails gives the lock back.
  private func shielded(
    _ live: LiveServer,
    _ change:
      @escaping @Sendable (AudioSession, StopSignal) async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    do throws(SessionError) {
      return try await StopSignal.shielding { stop throws(SessionError) in
        try await change(self, stop)
      }
    } catch {
      await release(live, keepsHolding: own != nil)
      throw error
    }
  }

  /// Runs the one loop; on failure runs it again, back to what was.
  private func reconcile(
    _ input: PlanInput, _ live: LiveServer, _ store: SessionStore, _ deadline: Deadline,
    _ stop: StopSignal
  ) async throws(SessionError) -> Reconciler {
    let before = input.baseline
    var run = Reconciler(
      live, store, input, deadline: deadline, logger: configuration.logger, stop: stop)
    do throws(SessionError) {
      try await run.run()
      return run
    } catch {
      guard !run.journal.entries.isEmpty else { throw error }
      throw await rollBack(run, before, live, store, error)
    }
  }

  private func rollBack(
    _ run: Reconciler, _ before: Baseline, _ live: LiveServer, _ store: SessionStore,
    _ cause: SessionError
  ) async -> SessionError {
    var result = cause
    let deadline = Deadline(after: configuration.timeout * 3 / 10)
    do throws(SessionError) {
      var input = PlanInput(wish: AudioMode(), snapshot: await live.snapshot)
      input.baseline = run.journal
      input.baseline.serverCookie = input.snapshot.server.cookie
      input.memory = run.input.memory
      var back = Reconciler(live, store, input, deadline: deadline, logger: configuration.logger)
      try await back.run()
      try store.write(before)
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

  /// Writes what was done, and reads back what is.
  private func finish(
    _ run: Reconciler, _ live: LiveServer, _ store: SessionStore, _ wish: SessionStore.Wish?
  ) async throws(SessionError) -> ApplyReport {
    refusals = run.input.refusals
    capabilities = run.input.capabilities
    let isActive = wish?.isActive == true
    self.isActive = isActive
    upkeep.fights.forget()
    var baseline = isActive ? run.stored : Baseline()
    baseline.settle(in: run.input.snapshot)
    try store.write(baseline)
    try store.write(wish)
    let isKept = configuration.isHolding && isActive
    if !isKept { await live.closePins() }
    // The pins may be gone, and no event tells of a latency.
    try await live.refreshDevices(deadline: Deadline(after: configuration.timeout * 3 / 10))
    var input = run.input
    input.baseline = baseline
    let state = await state(live, store, input, wish)
    try store.write(
      SessionStore.Status(
        generation: wish?.generation ?? 0, memory: run.input.memory, state: state))
    if !isKept { lock = nil }
    publish(state, isOurs: true)
    if wish?.isActive == true { broadcast.emit(.applied) }
    return ApplyReport(
      steps: run.report, state: state, unmet: run.lastPlan.unmet, left: run.firstPlan?.left ?? [])
  }
}
