import Glibc
import Pulse
import PulseTypes
public import SessionCore

/// What an apply did.
public struct ApplyReport: Sendable, Codable {
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
  /// Where another process holds the session, a session that does not hold hands the wish to it and
  /// returns its report; one that would hold throws `isBusy`, unless it takes over.
  ///
  /// - Parameters:
  ///   - mode: the wish.
  ///   - profile: the name of the profile it came from, for the state.
  ///   - options: `.takeOver` interrupts another process that holds the session.
  /// - Throws: stage `configuration` before anything is read, `device` before anything is written;
  ///   after that what was before is restored, and `restored` says whether that succeeded.
  @discardableResult
  public func setAudioMode(
    _ mode: AudioMode, profile: String? = nil, options: ActivationOptions = []
  ) async throws(SessionError) -> ApplyReport {
    try mode.validate()
    try checkScope(mode)
    return try await inTurn(.replacesWish) { session, budget throws(SessionError) in
      await session.setOverride(.none)
      return try await session.apply(OwnWish(mode: mode, profile: profile), budget, options)
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
      let before = wish.mode
      change(&wish.mode)
      // As with AVAudioSession, options belong to the category that they came with.
      if wish.mode.category != before.category, wish.mode.options == before.options {
        wish.mode.options = nil
      }
      try wish.mode.validate()
      try session.checkScope(wish.mode)
      return try await session.apply(wish, budget)
    }
  }

  /// Options of `setActive`.
  public struct ActivationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Wraps bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Take the session over from another process that holds it: that one is interrupted, and goes
    /// on with its own mode when this one closes or ends.
    public static let takeOver = ActivationOptions(rawValue: 1)
    /// Tell others that they may go on. They always may: what was silenced or ducked is as before
    /// at once, with this option or without.
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
        ? try await session.apply(wish, budget, options)
        : try await session.restore(keeping: wish, budget)
    }
  }

  /// Holds the session of the server from now on: for services, which may begin before there is a
  /// wish.
  ///
  /// The stored wish is applied where there is one; without, nothing changes until a command hands
  /// one over.
  ///
  /// - Throws: `isBusy` where another process holds the session and `options` has no `.takeOver`;
  ///   what `setAudioMode` throws.
  @discardableResult
  public func hold(options: ActivationOptions = []) async throws(SessionError) -> ApplyReport {
    guard configuration.isHolding else {
      throw SessionError(
        .activationFailed, stage: .configuration,
        "a session that is configured not to hold cannot hold; set isHolding")
    }
    return try await inTurn(.buildsOnWish) { session, budget throws(SessionError) in
      let live = try await session.connected(budget.run)
      let store = await session.store(live)
      if let wish = try await session.currentWish(store) {
        // It was applied before, and goes on.
        return try await session.apply(wish, budget, options, isObserved: false)
      }
      _ = try await session.takeLock(store, budget, options, else: nil)
      let state = try await session.state(live, store)
      return ApplyReport(steps: [], state: state, unmet: [], left: [])
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
    try checkScope(mode)
    let deadline = Deadline(after: configuration.timeout)
    let live = try await connected(deadline)
    var input = try await input(mode, live, store(live), isExplicit: true)
    if (mode.scope ?? .server) != scope {
      // Before it the session leaves its present scope, and begins with nothing.
      input.baseline = Baseline()
      input.snapshot.viewer = mode.scope == .application ? getpid() : nil
    }
    return try Plan.make(input)
  }

  /// What a change does with the wishes of those that wait before it.
  enum Reach {
    /// They need not run.
    case replacesWish
    /// They must have run.
    case buildsOnWish
  }

  /// Runs a change when those before it are done; one whose wish a later call replaced is not run.
  ///
  /// The time that it may take counts from the call, the wait for its turn included.
  func inTurn(
    _ reach: Reach, timeout: Duration? = nil,
    _ change: @Sendable (AudioSession, Budget) async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    requests += 1
    let request = requests
    if reach == .replacesWish { lastReplacement = request }
    let budget = Budget(timeout ?? configuration.timeout)
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

  func apply(
    _ wish: OwnWish, _ budget: Budget, _ options: ActivationOptions = [], isObserved: Bool = true
  ) async throws(SessionError) -> ApplyReport {
    try await enter(wish.mode.scope ?? .server, budget)
    return try await holdingLock(
      .apply(wish.mode, profile: wish.profile), budget, options, isObserved: isObserved
    ) { session, live, store, stop throws(SessionError) in
      var input = try await session.input(wish.mode, live, store, isExplicit: true)
      input.refusals = [:]
      return try await session.reconcile(
        input, live, store, budget, stop, wish: wish, isActive: true)
    }
  }

  func restore(
    keeping wish: OwnWish?, _ budget: Budget
  ) async throws(SessionError) -> ApplyReport {
    try await holdingLock(.revert(keepsWish: wish != nil), budget) {
      session, live, store, stop throws(SessionError) in
      let input = try await session.input(AudioMode(), live, store, isExplicit: true)
      return try await session.reconcile(
        input, live, store, budget, stop, wish: wish, isActive: false)
    }
  }

  /// Runs a change that a cancelled task does not cut short, under the lock; one that fails gives
  /// the lock back, if it was not held before. With another holder the change is handed to it.
  private func holdingLock(
    _ order: Order.Kind, _ budget: Budget, _ options: ActivationOptions = [],
    isObserved: Bool = true,
    _ change:
      @escaping @Sendable (AudioSession, LiveServer, SessionStore, StopSignal)
      async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    let live = try await connected(budget.run)
    let store = store(live)
    let wasHeld = lock != nil
    if let answer = try await takeLock(store, budget, options, else: order) { return answer }
    let stop = StopSignal()
    running = stop
    defer { running = nil }
    if isClosed { stop.set() }
    do throws(SessionError) {
      return try await stop.shielding { () throws(SessionError) in
        guard isObserved else { return try await change(self, live, store, stop) }
        return try await self.observing(order, live, store) { () throws(SessionError) in
          try await change(self, live, store, stop)
        }
      }
    } catch {
      await release(live, keepsHolding: wasHeld)
      throw error
    }
  }
}
