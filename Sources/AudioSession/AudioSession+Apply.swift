import Glibc
import PulseTypes
public import SessionCore

extension AudioSession {
  /// Applies a mode in place of the previous one and activates the session; all or nothing.
  ///
  /// Returns after the server was read back and shows the mode. Settings that the previous mode
  /// changed and this one does not name are restored. A call during another one waits; of several
  /// waiting calls only the last is applied, and the others return after it, without an error, without
  /// steps, and with its state.
  ///
  /// If another process holds the session, a session that does not hold hands the mode to that
  /// process and returns its report; a session that would hold throws `isBusy`, unless it takes
  /// over.
  ///
  /// - Parameters:
  ///   - mode: the mode to apply.
  ///   - profile: the name of the profile from which the mode comes, for the state.
  ///   - options: `.takeOver` interrupts another process that holds the session.
  /// - Throws: stage `configuration` before anything is read, `device` before anything is written.
  ///   After a later failure the previous setup is restored, and `restored` reports whether that
  ///   succeeded.
  @discardableResult
  public func setAudioMode(
    _ mode: AudioMode, profile: String? = nil, options: ActivationOptions = []
  ) async throws(SessionError) -> ApplyReport {
    try await setAudioMode(OwnMode(mode: mode, profile: profile), options, .whole)
  }

  /// Applies the mode with which a holder starts, which repeats this until it succeeds. A mode that a
  /// command has applied meanwhile stays, and so does a revert.
  @discardableResult
  package func start(
    _ mode: AudioMode, profile: String, options: ActivationOptions = []
  ) async throws(SessionError) -> ApplyReport {
    try await setAudioMode(OwnMode(mode: mode, profile: profile), options, .whole, .startsMode)
  }

  /// Applies the mode of a profile without a person's `apply`: it was read again, or the devices call
  /// for it. No input is unmuted.
  @discardableResult
  package func adopt(
    _ mode: AudioMode, profile: String, options: ActivationOptions = []
  ) async throws(SessionError) -> ApplyReport {
    try await setAudioMode(OwnMode(mode: mode, profile: profile), options, .adopted)
  }

  private func setAudioMode(
    _ declared: OwnMode, _ options: ActivationOptions, _ extent: Extent,
    _ reach: Reach = .replacesMode
  ) async throws(SessionError) -> ApplyReport {
    try checkMode(declared.mode)
    return try await waiting(options) { session throws(SessionError) in
      try await session.inTurn(reach) { session, budget throws(SessionError) in
        try await session.overriding(.none) { () throws(SessionError) in
          try await session.apply(declared, budget, options, extent: extent)
        }
      }
    }
  }

  /// Changes part of the mode and applies the result.
  ///
  /// Starts from the current mode: this session's, otherwise the stored one. Waiting changes build
  /// on each other, and a call that waits with `.waits` ends. A change of the category drops the options,
  /// unless it changes these, too (to other ones): as in AVAudioSession, options belong to the category with
  /// which they were set. A change of the category, of the output or of its port ends an
  /// ``overrideOutputPort(_:)``.
  ///
  /// - Parameter change: changes a copy of the current mode; called on the session's thread, and not at all if a
  ///   later call replaces the mode first.
  /// - Throws: as ``setAudioMode(_:profile:options:)``; the former mode then stays in effect.
  @discardableResult
  public func update(
    _ change: sending (inout AudioMode) -> Void
  ) async throws(SessionError) -> ApplyReport {
    queue.newDecision()
    return try await inTurn(.buildsOnMode) { session, budget throws(SessionError) in
      let live = try await session.connected(budget.run)
      let stored = try await session.currentMode(session.store(live))
      var declared = stored ?? OwnMode(mode: AudioMode(), profile: nil)
      let before = declared.mode
      change(&declared.mode)
      // As in AVAudioSession, options belong to the category with which they were set.
      if declared.mode.category != before.category, declared.mode.options == before.options {
        declared.mode.options = nil
      }
      try session.checkMode(declared.mode)
      let keepsPort =
        declared.mode.category == before.category && declared.mode.outputPort == before.outputPort
        && declared.mode.preferredOutput == before.preferredOutput
      let port = await session.upkeep.portOverride
      let changed = declared
      return try await session.overriding(keepsPort ? port : .none) { () throws(SessionError) in
        try await session.apply(changed, budget)
      }
    }
  }

  /// Applies the mode again, or restores the previous setup and keeps the mode for later.
  ///
  /// - Throws: `activationFailed` without a mode to activate; otherwise as
  ///   ``setAudioMode(_:profile:options:)``. An absent server does not keep the mode in effect:
  ///   false ends it, and the error says when the former settings are restored.
  @discardableResult
  public func setActive(
    _ isActive: Bool, options: ActivationOptions = []
  ) async throws(SessionError) -> ApplyReport {
    try await waiting(isActive ? options : []) { session throws(SessionError) in
      try await session.inTurn(isActive ? .buildsOnMode : .endsMode) {
        session, budget throws(SessionError) in
        guard isActive else { return try await session.deactivate(budget) }
        let live = try await session.connected(budget.run)
        let declared = try await session.modeToActivate(session.store(live))
        return try await session.holdingLock(
          .apply(declared.mode, profile: declared.profile), budget, options
        ) { session, live, store, stop throws(SessionError) in
          // A command that had the lock may have stored another mode, or none.
          let declared = try await session.modeToActivate(store)
          return try await session.putInEffect(declared, .whole, live, store, budget, stop)
        }
      }
    }
  }

  private func modeToActivate(_ store: SessionStore) throws(SessionError) -> OwnMode {
    guard let declared = try currentMode(store) else {
      throw SessionError(
        .activationFailed, stage: .session,
        "there is no mode to activate; call setAudioMode first")
    }
    return declared
  }

  /// Holds the session of the server from now on: for services, which may start before there is a
  /// mode.
  ///
  /// Applies the stored mode, if it is active, but unmutes no input. Otherwise nothing changes until a
  /// command hands over a mode.
  ///
  /// - Throws: `isBusy` if another process holds the session and `options` has no `.takeOver`; the
  ///   errors of `setAudioMode`.
  @discardableResult
  public func hold(options: ActivationOptions = []) async throws(SessionError) -> ApplyReport {
    guard configuration.isHolding else {
      throw SessionError(
        .activationFailed, stage: .configuration,
        "a session that is configured not to hold cannot hold; set isHolding")
    }
    return try await waiting(options) { session throws(SessionError) in
      try await session.inTurn(.buildsOnMode) { session, budget throws(SessionError) in
        let live = try await session.connected(budget.run)
        try await session.leaveUnheld(budget)
        // A damaged one counts as none; the report mentions it. One that has ended stays so.
        let stored = (try? await session.modeInForce(session.store(live))) ?? nil
        // It was applied before, so the observer is not called.
        return try await session.holdingLock(
          stored.map { Order.Kind.adopt($0.mode, profile: $0.profile) }, budget, options,
          isObserved: false
        ) { session, live, store, stop throws(SessionError) in
          // A command that had the lock may have stored another mode, or none.
          guard let declared = (try? await session.modeInForce(store)) ?? nil else {
            return try await session.holdWithoutMode(live, store, budget.run, stop)
          }
          return try await session.putInEffect(declared, .adopted, live, store, budget, stop)
        }
      }
    }
  }

  /// What a session without the hold had in effect, another process may have ended since: the store counts.
  private func leaveUnheld(_ budget: Budget) async throws(SessionError) {
    guard !isHolder, !life.isWaiting else { return }
    try await enter(.server, budget)
    life.declare(nil)
  }

  private func holdWithoutMode(
    _ live: LiveServer, _ store: SessionStore, _ deadline: Deadline, _ stop: StopSignal
  ) async throws(SessionError) -> ApplyReport {
    // The mode that another program has applied since stays.
    if ((try? storedMode(store)) ?? nil)?.isActive == true {
      life.leaveInEffect()
    } else {
      try await restoreStored(live, store, deadline, stop)
    }
    let state = try await state(live, store)
    return ApplyReport(steps: [], state: state, unmet: [], left: [])
  }

  /// Restores the setup from before the first apply, and forgets the mode.
  ///
  /// Undoes each setting that still has the applied value. Settings that another program has
  /// changed since are left alone and listed in the report. Settings of a device that is unplugged, or that
  /// another program has removed with the profile of its card, and those that the server refuses to
  /// restore, are listed, too: they are kept, and restored by a holder when the device returns, or by the
  /// next `revert`.
  ///
  /// - Parameter forgetsUnplugged: forgets what cannot be restored now.
  /// - Throws: if the server does not answer, or the store cannot be read; what was not restored is
  ///   kept for the next call.
  @discardableResult
  public func revert(forgetsUnplugged: Bool = false) async throws(SessionError) -> ApplyReport {
    queue.newDecision()
    return try await inTurn(.replacesMode) { session, budget throws(SessionError) in
      try await session.restore(keepsMode: false, budget, forgets: forgetsUnplugged)
    }
  }

  /// Makes the plan that `setAudioMode` would run now; changes nothing.
  ///
  /// - Throws: stage `configuration` for an invalid mode, `device` if the machine cannot meet it, and
  ///   `server` if no server answers.
  public func plan(for mode: AudioMode) async throws(SessionError) -> Plan {
    try checkMode(mode)
    reopenIfShared()
    let deadline = Deadline(after: configuration.timeout)
    return try await plan(for: mode, on: connected(deadline))
  }

  func plan(for mode: AudioMode, on live: LiveServer) async throws(SessionError) -> Plan {
    let store = await storeInForce(store(live))
    var input = try await input(mode, live, store, isExplicit: true, ignoringOverride: true)
    input.refusals = [:]
    if (mode.scope ?? .server) == .server {
      // A holder carries the mode out, and its pins stay.
      let (owner, shared) = await otherHolder(store)
      if let owner { input.trust(owner, shared) }
    }
    if (mode.scope ?? .server) != scope {
      // Applying it would first leave the current scope, so the plan starts without a baseline.
      input.baseline = Baseline()
      input.snapshot.viewer = mode.scope == .application ? getpid() : nil
    }
    return try Plan.make(input)
  }
}
