import Logging
import SessionCore

/// The order of changes, and the lock around them.
extension AudioSession {
  /// How a change relates to those that wait before it.
  enum Reach {
    /// A holder starts with it, and repeats it until it succeeds. It counts as made before all others:
    /// one that was carried out meanwhile makes it unnecessary.
    case startsMode
    /// It makes them unnecessary.
    case replacesMode
    /// It needs their results; once it is done, those that it has overtaken are not carried out.
    case endsMode
    /// It needs their results.
    case buildsOnMode
  }

  /// Runs a change after those before it; skips a change that a later call has replaced.
  ///
  /// The time limit starts with the call and includes the wait for the turn. Upkeep in progress is
  /// stopped, and continues afterwards.
  func inTurn(
    _ reach: Reach, timeout: Duration? = nil,
    _ change: (AudioSession, Budget) async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    let request =
      reach == .startsMode
      ? CallQueue.start : queue.newRequest(replacesMode: reach == .replacesMode)
    defer { queue.end(request) }
    let closes = queue.closes
    let budget = Budget(timeout ?? configuration.timeout)
    // Nothing before it keeps a mode in effect that is to end: what waits for the server ends a moment
    // after its own limit.
    var patience = budget.run
    if reach == .endsMode {
      let longest = max(budget.whole.remaining, queue.limit?.remaining ?? .zero)
      patience = Deadline(after: longest + .seconds(2))
    }
    while true {
      do throws(SessionError) {
        try await takeTurnFromUpkeep(by: patience)
        break
      } catch {
        // One that was before it in the line may have a longer limit than the one that had the turn.
        guard reach == .endsMode, error.code == .timedOut, let limit = queue.limit, !limit.hasPassed
        else { throw error }
        patience = Deadline(after: limit.remaining + .seconds(2))
      }
    }
    while queue.isReplaced(request) {
      // Lets the newest call, which is behind this one, run first. One that has just left the line does
      // not take the turn; it has to get to its end.
      queue.turns.pass()
      await Task.yield()
      try await takeTurnFromUpkeep(by: budget.whole)
    }
    queue.limit = budget.whole
    defer {
      queue.limit = nil
      queue.turns.pass()
    }
    if queue.isOutdated(request) {
      let state = try await sessionState(budget.whole)
      return ApplyReport(steps: [], state: state, unmet: [], left: [])
    }
    // A close after this call counts, also if it let later calls pass.
    if queue.closes == closes { reopenIfShared() }
    guard reach == .endsMode || !budget.run.hasPassed else { throw Self.noTime }
    do throws(SessionError) {
      let report = try await change(self, budget)
      if reach != .buildsOnMode { queue.noteDone(request) }
      return report
    } catch {
      // It ended the mode without a server.
      if reach == .endsMode, !life.isActive { queue.noteDone(request) }
      throw error
    }
  }

  static let noTime = SessionError(
    .timedOut, stage: .session,
    "timed out before this change began: an earlier one took all of its time, or the machine is "
      + "overloaded; try again")

  /// Runs a call that decides what is to be in effect. With `.waits`, repeats it until it succeeds,
  /// fails for good, is cancelled, or is replaced by a later call.
  func waiting(
    _ options: ActivationOptions,
    _ call: (AudioSession) async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    let decision = queue.newDecision()
    var backoff = StartBackoff()
    while true {
      do throws(SessionError) {
        return try await call(self)
      } catch {
        guard options.contains(.waits), let pause = backoff.pause(after: error) else { throw error }
        configuration.logger?.info("trying again", metadata: ["error": "\(error.message)"])
        // Otherwise a later call pauses, or none.
        if !life.isClosed, queue.isLast(decision) { await wait(pause) }
        guard !Task.isCancelled, !life.isClosed, queue.isLast(decision) else {
          throw SessionError(
            .cancelled, stage: .session,
            "cancelled while waiting; the last failure: \(error.message)")
        }
      }
    }
  }

  /// Pauses before a call is repeated; a later call, `close` and a cancellation end it at once.
  private func wait(_ time: Duration) async {
    let pause = Task { _ = try? await sleep(until: .now + time) }
    queue.pause = pause
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
  }

  /// How much of a mode counts.
  enum Extent {
    /// Everything: a user or program applies it.
    case whole
    /// It was applied before: no input is unmuted.
    case adopted
    /// Only its route changes: levels are left as in upkeep.
    case route
    /// It was in effect a moment ago: levels become the last seen ones, which a person may have set.
    case again(Charges)

    var isWhole: Bool { if case .whole = self { true } else { false } }
  }

  func apply(
    _ declared: OwnMode, _ budget: Budget, _ options: ActivationOptions = [],
    extent: Extent = .whole, isObserved: Bool = true
  ) async throws(SessionError) -> ApplyReport {
    if let live { life.held?.charges.follow(await live.snapshot, at: upkeep.now) }
    let former = (
      scope: scope, declared: life.modeInEffect, charges: life.held?.charges,
      isWaiting: life.isWaiting
    )
    let scope = declared.mode.scope ?? .server
    // Unless the change fails, another scope ends that the session is taken over.
    let takeOver = scope == self.scope ? nil : upkeep.rules.interruptions.takeOver
    let isOver = takeOver == nil ? nil : takeOverEnded()
    let ended = try await enter(scope, budget)
    do throws(SessionError) {
      var report = try await make(
        declared, budget, options, extent: extent, isObserved: isObserved)
      if let ended { report.noteUnrecorded(ended) }
      if takeOver != nil { endTakenOver() }
      emit(isOver)
      return report
    } catch {
      guard self.scope != former.scope else { throw error }
      // In a task of its own: if this one is cancelled, it sends no request any more.
      let failure = await Task {
        await comeBack(
          to: former.scope, former.declared, former.charges, isWaiting: former.isWaiting, takeOver,
          budget, error)
      }.value
      if !life.isWaiting { emit(isOver) }
      throw failure
    }
  }

  /// Applies a mode of the session's current scope.
  func make(
    _ declared: OwnMode, _ budget: Budget, _ options: ActivationOptions = [],
    extent: Extent = .whole, isObserved: Bool
  ) async throws(SessionError) -> ApplyReport {
    let order: Order.Kind =
      extent.isWhole
      ? .apply(declared.mode, profile: declared.profile)
      : .adopt(declared.mode, profile: declared.profile)
    return try await holdingLock(
      order, budget, options, isObserved: isObserved
    ) { session, live, store, stop throws(SessionError) in
      try await session.putInEffect(declared, extent, live, store, budget, stop)
    }
  }

  /// Makes a mode take effect; call it with the lock.
  func putInEffect(
    _ declared: OwnMode, _ extent: Extent, _ live: LiveServer, _ store: SessionStore,
    _ budget: Budget, _ stop: StopSignal
  ) async throws(SessionError) -> ApplyReport {
    var input = try await input(declared.mode, live, store, isExplicit: true)
    input.refusals = [:]
    switch extent {
    case .whole: break
    case .adopted: input.mayUnmute = false
    case .route: (input.mayUnmute, input.charges) = (false, life.held?.charges)
    case .again(let charges): input.charges = charges.returning()
    }
    return try await reconcile(
      input, live, store, budget, stop, declared: declared, isActive: true)
  }

  func restore(
    keepsMode: Bool, owed: OwnMode? = nil, _ budget: Budget, forgets: Bool = false,
    isObserved: Bool = true
  ) async throws(SessionError) -> ApplyReport {
    try await holdingLock(
      .revert(keepsMode: keepsMode, forgets: forgets), budget, isObserved: isObserved
    ) { session, live, store, stop throws(SessionError) in
      // With the lock: a command that had it may have stored another mode.
      var declared = owed
      if keepsMode, declared == nil { declared = try await session.currentMode(store) }
      var input = try await session.input(AudioMode(), live, store, isExplicit: true)
      input.refusals = [:]
      return try await session.reconcile(
        input, live, store, budget, stop, declared: declared, isActive: false, forgets: forgets)
    }
  }

  /// Runs a change under the lock, shielded from the cancellation of its task. A failed change
  /// releases the lock if it was not held before; a session that waited for it keeps it, and has its
  /// former mode in effect again. If another process holds the lock, hands the change to it; without an
  /// order there is nothing to hand over (`isBusy`).
  func holdingLock(
    _ order: Order.Kind?, _ budget: Budget, _ options: ActivationOptions = [],
    isObserved: Bool = true,
    _ change:
      @escaping @Sendable (AudioSession, LiveServer, SessionStore, StopSignal)
      async throws(SessionError) -> ApplyReport
  ) async throws(SessionError) -> ApplyReport {
    let live = try await connected(budget.run)
    let store = store(live)
    let (wasHeld, wasWaiting) = (life.lock != nil, life.isWaiting)
    if let answer = try await takeLock(store, budget, options, else: order) { return answer }
    let stop = StopSignal()
    queue.running = stop
    defer { queue.running = nil }
    if life.isClosed { stop.set() }
    let takeOver = upkeep.rules.interruptions.takeOver
    let isOver = takeOverEnded()
    do throws(SessionError) {
      let report = try await stop.shielding(on: loop) { () throws(SessionError) in
        guard isObserved, let order else { return try await change(self, live, store, stop) }
        return try await self.observing(order, live, store) { () throws(SessionError) in
          try await change(self, live, store, stop)
        }
      }
      emit(isOver)
      return report
    } catch {
      await release(live, keepsHolding: wasHeld || wasWaiting && life.isActive)
      queue.running = nil
      if wasWaiting, isHolder, !life.isClosed {
        // What is in effect is the other session's. The interruption ends with the own mode.
        if let takeOver { _ = upkeep.rules.interruptions.begin(takeOver) }
        // In a task of its own: if this one is cancelled, it sends no request any more.
        await Task { await applyAgain(store) }.value
      } else {
        emit(isOver)
      }
      throw error
    }
  }
}
