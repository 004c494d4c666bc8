import Glibc
import Pulse
import PulseTypes
public import SessionCore

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
    return try await waiting(options) { session throws(SessionError) in
      try await session.inTurn(.replacesWish) { session, budget throws(SessionError) in
        try await session.overriding(.none) { () throws(SessionError) in
          try await session.apply(OwnWish(mode: mode, profile: profile), budget, options)
        }
      }
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

  /// Applies the wish again, or restores what was before it and keeps the wish for later.
  @discardableResult
  public func setActive(
    _ isActive: Bool, options: ActivationOptions = []
  ) async throws(SessionError) -> ApplyReport {
    try await waiting(isActive ? options : []) { session throws(SessionError) in
      try await session.inTurn(.buildsOnWish) { session, budget throws(SessionError) in
        guard isActive else { return try await session.deactivate(budget) }
        let live = try await session.connected(budget.run)
        let store = await session.store(live)
        guard let wish = try await session.currentWish(store) else {
          throw SessionError(
            .activationFailed, stage: .session,
            "there is no wish to activate; call setAudioMode first")
        }
        return try await session.apply(wish, budget, options)
      }
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
    return try await waiting(options) { session throws(SessionError) in
      try await session.inTurn(.buildsOnWish) { session, budget throws(SessionError) in
        let live = try await session.connected(budget.run)
        let store = await session.store(live)
        // One that is damaged is none; the report says so.
        if let wish = (try? await session.currentWish(store)) ?? nil {
          // It was applied before, and goes on.
          return try await session.apply(wish, budget, options, isObserved: false)
        }
        _ = try await session.takeLock(store, budget, options, else: nil)
        let state = try await session.state(live, store)
        return ApplyReport(steps: [], state: state, unmet: [], left: [])
      }
    }
  }

  /// Goes back to what was before the first apply, and forgets the wish.
  ///
  /// Undoes each property that still has the value it was given; what somebody changed since is left
  /// and listed in the report.
  @discardableResult
  public func revert() async throws(SessionError) -> ApplyReport {
    wishes += 1
    return try await inTurn(.replacesWish) { session, budget throws(SessionError) in
      try await session.restore(keeping: nil, budget)
    }
  }

  /// The plan that `setAudioMode` would run now; changes nothing.
  public func plan(for mode: AudioMode) async throws(SessionError) -> Plan {
    try mode.validate()
    try checkScope(mode)
    reopenIfShared()
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
}
