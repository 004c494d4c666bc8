package import PulseTypes

/// The one loop that changes a server: plan; run the first phase; read it back; plan again.
///
/// Apply, restore, rollback and reapply are this loop with another goal. It ends when the plan is
/// empty. It has no task, no clock, no server and no files: `next` returns an action, the caller
/// performs it and reports the result with the `did…` function that the action names. The session
/// performs actions on a live server (`ReconcilerDriver`), the tests on the model server.
package struct Reconciler: Sendable {
  /// What the caller does next.
  package enum Action: Sendable {
    /// Read all that changed, then `didRead`. A glance reads once: what changes meanwhile is left to
    /// the next run.
    case read(isGlance: Bool)
    /// Wait for the object of a step that an earlier step makes, then `didWait`.
    case awaitObject(of: Step)
    /// Store the baseline, then `didSave`.
    case save(Baseline)
    /// Read what changed since the plan was made, then `didCheck`.
    case check(Step)
    /// Write the step and read it back, then `didRun` or `didFail`.
    case run(Step)
    /// Nothing is left to do.
    case finish
  }

  /// Where the loop is.
  private enum State {
    case reading
    case planned(Plan)
    case batch(ArraySlice<Step>)
    case checked(Step, ServerSnapshot, rest: ArraySlice<Step>)
    case finished
  }

  private var state = State.reading
  private let tracer: (@Sendable (TraceEntry) -> Void)?
  /// What the store had when the run began.
  let former: Baseline
  /// What the store has now.
  var onDisk: Baseline
  /// Whether the run undoes another.
  let isRollback: Bool
  /// Whether the run goes on without a store that cannot be written.
  let isRestoring: Bool
  /// The plan's input; its snapshot is replaced in every round.
  package internal(set) var input: PlanInput
  /// What this run changed, and what was before: the goal of a rollback.
  package internal(set) var journal = Baseline()
  /// The first plan: what the run promised.
  package private(set) var firstPlan: Plan?
  /// The last plan: what it could not meet.
  package private(set) var lastPlan = Plan()
  /// Every value that this run sets, in the order of the steps.
  var intended: [Setting: [SettingValue]] = [:]
  /// Whether anything was asked of the server; until then there is nothing to undo.
  package private(set) var hasWritten = false
  var results: [StepResult] = []
  var attempts: [Setting: Int] = [:]
  var latencies: [HintMemory.Attempt] = []

  /// Makes a run.
  ///
  /// - Parameters:
  ///   - input: what the plan is made from.
  ///   - stored: what the store has, for a run that undoes another.
  ///   - isRestoring: whether it only goes back to what the store has: then nothing more must be stored before.
  ///   - tracer: gets each plan and each step.
  package init(
    _ input: PlanInput, undoing stored: Baseline? = nil, isRestoring: Bool = false,
    tracer: (@Sendable (TraceEntry) -> Void)? = nil
  ) {
    self.input = input
    self.tracer = tracer
    former = stored ?? input.baseline
    onDisk = former
    isRollback = stored != nil
    self.isRestoring = isRestoring || isRollback
  }

  /// What to do next.
  ///
  /// - Parameters:
  ///   - isStopped: whether the run is to end before its next step; the journal has all that was
  ///     done until then.
  ///   - isLate: whether its time is over.
  package mutating func next(
    isStopped: Bool, isLate: Bool
  ) throws(SessionError) -> Action {
    while true {
      switch state {
      case .reading:
        try check(isStopped)
        // Upkeep looks again at what changes meanwhile; in a storm it must not chase that.
        return .read(isGlance: firstPlan == nil && input.occasion == .upkeep)
      case .planned(let plan):
        guard let first = plan.steps.first else {
          for attempt in latencies { input.memory.note(attempt, on: input.snapshot) }
          state = .finished
          continue
        }
        try check(isStopped)
        guard !first.isDeferred else { return .awaitObject(of: first) }
        let batch = plan.batch
        record(batch)
        state = .batch(batch)
        if let baseline = unsaved { return .save(baseline) }
      case .batch(let steps):
        guard let step = steps.first else {
          state = .reading
          continue
        }
        try check(isStopped)
        return .check(step)
      case .checked(let step, let snapshot, _):
        try checkTime(isLate, step)
        try countAttempt(step)
        input.baseline.follow(step, in: snapshot)
        hasWritten = true
        return .run(step)
      case .finished: return .finish
      }
    }
  }

  /// Plans from what was read; throws where the mode cannot be met.
  ///
  /// - Parameters:
  ///   - snapshot: the server as it is.
  ///   - inherited: settings of streams that began with what the session had set for a former one,
  ///     with what was before that.
  ///   - grants: latencies granted to streams that are held.
  @discardableResult
  package mutating func didRead(
    _ snapshot: ServerSnapshot, inherited: [(setting: Setting, before: SettingValue)] = [],
    grants: [Setting: Duration] = [:]
  ) throws(SessionError) -> Plan {
    input.snapshot = snapshot
    for (setting, before) in inherited where input.baseline[setting] == nil {
      guard let now = snapshot.value(of: setting), now != before else { continue }
      input.baseline.record(setting, before: before, ours: now)
    }
    input.grants = grants
    input.journal = journal
    if firstPlan == nil { input.beginRun() }
    let plan = try makePlan()
    lastPlan = plan
    if firstPlan == nil { firstPlan = plan }
    state = .planned(plan)
    return plan
  }

  private func makePlan() throws(SessionError) -> Plan {
    guard let tracer else { return try Plan.make(input) }
    let entry = TraceEntry.planning(input)
    tracer(entry)
    if case .unplannable(_, let error) = entry { throw error }
    guard case .planned(_, let plan) = entry else { return Plan() }
    return plan
  }

  /// A step whose object an earlier one should have made: it may still be on its way.
  package mutating func didWait(for step: Step, hasChanged: Bool) throws(SessionError) {
    guard hasChanged else {
      throw SessionError(
        .timedOut, stage: .server,
        "\(step.setting.object) did not appear after its card profile was set",
        property: step.property)
    }
    state = .reading
  }

  /// Goes on with the next step where this one is already so.
  package mutating func didCheck(_ snapshot: ServerSnapshot) {
    guard case .batch(let steps) = state, let step = steps.first else { return }
    if snapshot.value(of: step.setting) == step.to {
      results.append(StepResult(step: step, outcome: .alreadySo))
      state = .batch(steps.dropFirst())
    } else {
      state = .checked(step, snapshot, rest: steps.dropFirst())
    }
  }

  /// Takes what became of a step: what it came to is read from the server after it.
  package mutating func didRun(_ answer: StepAnswer, _ snapshot: ServerSnapshot) {
    guard case .checked(let step, _, let rest) = state else { return }
    guard let (outcome, got) = outcome(of: step, answer, in: snapshot) else {
      tracer?(.ran(step, "changed since"))
      state = .reading
      return
    }
    results.append(StepResult(step: step, outcome: outcome))
    tracer?(.ran(step, "\(outcome)"))
    remember(step, got: got, in: snapshot)
    state = .batch(rest)
  }

  /// Goes on without what the server refused, or throws where the run cannot.
  package mutating func didFail(_ error: SessionError) throws(SessionError) {
    guard case .checked(let step, _, _) = state else { return }
    tracer?(.ran(step, error.message))
    try refuse(step, error)
    // The steps after it may have counted on it: they are planned anew.
    state = .reading
  }

  /// Between steps is the only place to stop.
  private func check(_ isStopped: Bool) throws(SessionError) {
    guard isStopped else { return }
    throw SessionError(.cancelled, stage: .session, "cancelled before all was done")
  }

  /// Past the deadline a reading stops half-way, and a plan would be made on what is no longer so.
  private func checkTime(_ isLate: Bool, _ step: Step) throws(SessionError) {
    guard isLate else { return }
    throw SessionError(
      .timedOut, stage: .server,
      "timed out before setting \(step.setting.propertyName) of \(step.setting.object): the steps "
        + "before it took all of the time; the server may be overloaded (a longer --timeout may help)"
    ).about(step)
  }

  /// What the mode names and has been given, after a run.
  package var charged: [Setting] {
    lastPlan.claims.filter { !input.yielded.contains($0) && input.refusals[$0] == nil }
  }

  /// What this run tried to set, hints apart.
  package var attempted: Set<Setting> { Set(attempts.keys.filter { !$0.isHint }) }

  /// A setting that must be set again and again is in somebody else's hands.
  private mutating func countAttempt(_ step: Step) throws(SessionError) {
    // A bracket takes a default and a chain twice in one run, and each may be repeated once.
    attempts[step.setting, default: 0] += 1
    guard attempts[step.setting, default: 0] > 4 else { return }
    throw SessionError(
      .refused, stage: .server,
      "\(step.setting.propertyName) of \(step.setting.object) was set to \(step.to) and did not "
        + "stay: another program keeps changing it",
      property: step.property, value: step.to.description)
  }

  /// What the server says no to: a hint or a best effort goes on without it, the rest fails.
  private mutating func refuse(_ step: Step, _ error: SessionError) throws(SessionError) {
    if error.endsConnection { throw error.about(step) }
    if step.setting.isModule, error.code == .accessDenied {
      input.capabilities.moduleLoading = false
    } else if case .others = step.setting {
      // Why a module did not load a server does not say; others are treated one by one then.
      input.capabilities.roleModules = false
    } else if step.setting.isHint || step.setting.isOfOthers
      || input.wish.onFailure == .bestEffort
    {
      input.refusals[step.setting] = error.message
    } else {
      throw error.about(step)
    }
    results.append(StepResult(step: step, outcome: .refused(error.message)))
  }
}
