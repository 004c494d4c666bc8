package import PulseTypes

/// The only loop that changes a server: plan; run the first phase; read it back; plan again.
///
/// Apply, restore, rollback and reapply are this loop with different goals. It ends when the plan
/// is empty. It has no task, clock, server or files: `next` returns an action, the caller performs
/// it and reports the result with the `did…` function of that action. The session performs actions
/// on a live server (`ReconcilerDriver`), the tests on the model server.
package struct Reconciler: Sendable {
  /// The next action of the caller.
  package enum Action: Sendable {
    /// Read all changes, then call `didRead`. A glance reads once and leaves later changes to the
    /// next run.
    case read(isGlance: Bool)
    /// Store the baseline, then call `didSave`.
    case save(Baseline)
    /// Read the changes since the plan was made, then call `didCheck`.
    case check(Step)
    /// Write the step and read it back, then call `didRun` or `didFail`.
    case run(Step)
    /// Nothing remains to be done.
    case finish
  }

  /// The position of the loop.
  private enum State {
    case reading
    case planned(Plan)
    case batch(ArraySlice<Step>)
    case checked(Step, ServerSnapshot, rest: ArraySlice<Step>)
    case finished
  }

  private var state = State.reading
  private let tracer: (@Sendable (TraceEntry) -> Void)?
  /// The baseline in the store when the run began.
  let former: Baseline
  /// The baseline in the store now.
  package internal(set) var onDisk: Baseline
  /// Whether the run undoes another run.
  let isRollback: Bool
  /// Whether the run continues if the store cannot be written.
  let isRestoring: Bool
  /// The plan's input; its snapshot is replaced in every round.
  package internal(set) var input: PlanInput
  /// What this run changed, and the previous values: the goal of a rollback.
  package internal(set) var journal = Baseline()
  /// What streams were found to have inherited of the session, with the previous values.
  private(set) var inheritedValues = Baseline()
  /// The first plan: what the run announced.
  package private(set) var firstPlan: Plan?
  /// The last plan: what the run could not meet.
  package private(set) var lastPlan = Plan()
  /// Every value that this run sets, in the order of the steps.
  var intended: [Setting: [SettingValue]] = [:]
  /// Whether the server was asked for any change; otherwise there is nothing to undo.
  package private(set) var hasWritten = false
  var results: [StepResult] = []
  var attempts: [Setting: Int] = [:]
  /// How often a step of a setting was about to be run, also where nothing was left to do.
  private var checks: [Setting: Int] = [:]
  var latencies: [HintMemory.Attempt] = []
  private var firstSnapshot: ServerSnapshot?
  /// The steps that ran and whose values were not read then: PipeWire may show another one first.
  private var unproved: [Step] = []
  /// The settings that were read with the mode's values, so that another program's change is
  /// noticed.
  package private(set) var seen: ForeignChanges
  /// How often another program changed a setting before and during this run.
  package private(set) var foreign: [Setting: Int] = [:]

  /// Makes a run.
  ///
  /// - Parameters:
  ///   - input: the input of the plan.
  ///   - stored: the baseline in the store, for a run that undoes another.
  ///   - onDisk: the baseline in the store, where it is not that of the input.
  ///   - seen: the settings that an earlier run left as the mode asks.
  ///   - isRestoring: whether the run only restores the stored values, so that nothing needs to be
  ///     stored before it.
  ///   - tracer: gets each plan and each step.
  package init(
    _ input: PlanInput, undoing stored: Baseline? = nil, onDisk: Baseline? = nil,
    seen: ForeignChanges = ForeignChanges(), isRestoring: Bool = false,
    tracer: (@Sendable (TraceEntry) -> Void)? = nil
  ) {
    self.input = input
    self.seen = seen
    self.tracer = tracer
    former = stored ?? input.baseline
    self.onDisk = onDisk ?? former
    isRollback = stored != nil
    self.isRestoring = isRestoring || isRollback
  }

  /// Returns the next action.
  ///
  /// - Parameters:
  ///   - isStopped: whether the run must end before its next step; the journal has all completed
  ///     steps.
  ///   - isLate: whether its time limit has passed.
  package mutating func next(isStopped: Bool, isLate: Bool) throws(SessionError) -> Action {
    while true {
      switch state {
      case .reading:
        try check(isStopped)
        // Upkeep looks again at later changes; it must not chase them in a storm.
        return .read(isGlance: firstPlan == nil && input.occasion == .upkeep)
      case .planned(let plan):
        guard !plan.isEmpty else {
          for attempt in latencies { input.memory.note(attempt, on: input.snapshot) }
          state = .finished
          continue
        }
        try check(isStopped)
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
        do throws(SessionError) {
          try Self.count(step, in: &checks, atMost: 8)
        } catch {
          guard isRestoring else { throw error }
          // What depends on a refused step is planned for ever: all that is left is for the next run.
          for step in lastPlan.steps where input.refusals[step.setting] == nil {
            try refuse(step, error)
          }
          state = .finished
          continue
        }
        return .check(step)
      case .checked(let step, let snapshot, _):
        try checkTime(isLate, step)
        // A bracket sets a default and a chain twice in one run, and each may be repeated once.
        do throws(SessionError) {
          try Self.count(step, in: &attempts, atMost: 4)
        } catch {
          guard isRestoring || onlyRestores(step) else { throw error }
          // The rest is restored all the same.
          try refuse(step, error)
          state = .reading
          continue
        }
        input.baseline.follow(step, in: snapshot, outlastsSession: keepsMute(step))
        // A level is restored because its device is no longer used. The device may be used again
        // before the run ends, and is given the mode's level then.
        if !lastPlan.claims.contains(step.setting) { input.charges?.forget([step.setting]) }
        hasWritten = true
        return .run(step)
      case .finished: return .finish
      }
    }
  }

  /// Plans from a snapshot; throws if the mode cannot be met.
  ///
  /// - Parameters:
  ///   - snapshot: the actual server.
  ///   - inherited: settings of streams that started with the values that the session had set on an
  ///     earlier stream, with the previous values.
  ///   - grants: latencies granted to the session's open pins.
  ///   - unsteady: the devices and ports that flap; nil if that is as before.
  @discardableResult
  package mutating func didRead(
    _ snapshot: ServerSnapshot, inherited: [(setting: Setting, before: SettingValue)] = [],
    grants: [Setting: Duration] = [:], unsteady: Set<Attachment>? = nil
  ) throws(SessionError) -> Plan {
    input.snapshot = snapshot
    if let unsteady { input.unsteady = unsteady }
    if firstSnapshot == nil {
      firstSnapshot = snapshot
      // Those of a run that was cut short have taken effect by now.
      input.baseline.noteConsequences(in: snapshot) {
        !$0.isLevel || !snapshot.has(.lateRestoring)
      }
    }
    for (setting, before) in inherited where input.baseline[setting] == nil {
      guard let now = snapshot.value(of: setting), now != before else { continue }
      input.baseline.record(setting, before: before, ours: now)
      inheritedValues.record(setting, before: before, ours: now)
    }
    input.grants = grants
    input.journal = journal
    // A plan for others alone takes charge of nothing else.
    let isWhole = input.isOnlyForOthers != true
    if firstPlan == nil {
      if !isRestoring, isWhole { input.adoptDefaults() }
      input.beginRun()
    }
    let plan = try makePlan()
    lastPlan = plan
    if firstPlan == nil { firstPlan = plan }
    if !isRollback, isWhole {
      input.baseline.takeCharge(
        of: plan.claims.filter { !input.isUndecided($0) }, in: snapshot, beside: journal)
    }
    for setting in seen.take(plan.steps, in: snapshot) { noteForeign(setting) }
    if plan.isEmpty {
      seen.note(charged, in: snapshot)
      proveSteps(in: snapshot)
    }
    state = .planned(plan)
    return plan
  }

  private func makePlan() throws(SessionError) -> Plan {
    guard let tracer else { return try Plan.make(input) }
    let plan = Result { () throws(SessionError) in try Plan.make(input) }
    tracer(TraceEntry(input, plan))
    return try plan.get()
  }

  /// Skips the step if the server already has its value. Plans again if its device has been replaced since,
  /// or another port is in use: a level would be that port's, whose previous value is not recorded.
  package mutating func didCheck(_ snapshot: ServerSnapshot) {
    guard case .batch(let steps) = state, let step = steps.first else { return }
    guard input.snapshot.place(of: step) == snapshot.place(of: step) else {
      state = .reading
      return
    }
    // A step to the value that is read already is for what the server does not report.
    if step.from != step.to, let proof = Self.proof(of: step, in: snapshot) {
      results.append(.applied(step, proof, wasSo: true))
      state = .batch(steps.dropFirst())
    } else {
      state = .checked(step, snapshot, rest: steps.dropFirst())
    }
  }

  /// Counts the steps whose values the last reading shows, and that no later step has set.
  private mutating func proveSteps(in snapshot: ServerSnapshot) {
    for step in unproved where !results.contains(where: { $0.step.setting == step.setting }) {
      if let proof = Self.proof(of: step, in: snapshot) { results.append(.applied(step, proof)) }
    }
  }

  private static func proof(of step: Step, in snapshot: ServerSnapshot) -> Proof? {
    let observer = Observer(snapshot, grants: [:], memory: HintMemory())
    guard case .met(let proof) = observer.judge([Condition(step.setting, step.to)]) else {
      return nil
    }
    return proof
  }

  /// Handles a completed step; its outcome is read from the server.
  package mutating func didRun(_ answer: StepAnswer, _ snapshot: ServerSnapshot) {
    guard case .checked(let step, let before, let rest) = state else { return }
    var isOutdated = before.place(of: step) != snapshot.place(of: step)
    if case .outdated = answer { isOutdated = true }
    if isOutdated {
      tracer?(.ran(step, "outdated"))
      unproved.append(step)
      state = .reading
      return
    }
    guard let (result, got) = result(of: step, answer, in: snapshot) else {
      tracer?(.ran(step, "changed since"))
      unproved.append(step)
      if !step.setting.isHint, snapshot.value(of: step.setting) != nil { noteForeign(step.setting) }
      state = .reading
      return
    }
    results.append(result)
    tracer?(.ran(step, "\(result.outcome)"))
    if case .applied = result.outcome {
      seen.note(step.setting, in: snapshot)
      // Hardware may have taken the nearest value that it has.
      if !step.setting.isHint, let now = snapshot.value(of: step.setting), now != step.to {
        note(step.setting, got: now, in: snapshot)
      }
    }
    remember(step, got: got, in: snapshot)
    state = .batch(rest)
  }

  /// Continues without a refused step, or throws if the run cannot.
  ///
  /// - Parameter times: how often the server had acted on it, and another program changed it at once.
  package mutating func didFail(_ error: SessionError, undone times: Int = 0) throws(SessionError) {
    guard case .checked(let step, _, _) = state else { return }
    if times > 0 { noteForeign(step.setting, times) }
    tracer?(.ran(step, error.message))
    try refuse(step, error)
    // Later steps may depend on it, so they are planned again.
    state = .reading
  }

  private mutating func noteForeign(_ setting: Setting, _ times: Int = 1) {
    foreign[setting, default: 0] += times
  }

  /// Whether a step copies a mute that a person set on a link, and the mode does not unmute afterwards.
  private func keepsMute(_ step: Step) -> Bool {
    guard step.isPermanent, step.setting.isLevel else { return false }
    return !lastPlan.claims.contains(step.setting)
      || !lastPlan.steps.contains { $0.setting == step.setting && !$0.isPermanent }
  }

  /// A run can only be stopped between steps.
  private func check(_ isStopped: Bool) throws(SessionError) {
    guard isStopped else { return }
    throw SessionError(.cancelled, stage: .session, "cancelled before all was done")
  }

  /// After the deadline a read is incomplete, and a plan would use outdated values.
  private func checkTime(_ isLate: Bool, _ step: Step) throws(SessionError) {
    guard isLate else { return }
    throw SessionError(
      .timedOut, stage: .server,
      "timed out, because the steps before it took all of the time; the server may be overloaded (a "
        + "longer --timeout may help)"
    ).about(step)
  }

  /// The settings that the mode names and that were set, after a run.
  package var charged: [Setting] {
    lastPlan.claims.filter { !input.yielded.contains($0) && input.refusals[$0] == nil }
  }

  /// The devices of a snapshot that were added since the run's first look, also those that had been
  /// there before.
  func arrivals(in snapshot: ServerSnapshot) -> Set<String> {
    let devices = snapshot.sources + snapshot.sinks
    return Set(
      devices.lazy.filter { device in
        self.firstSnapshot?.device(device.direction, named: device.name)?.index != device.index
      }.map(\.name))
  }

  /// The hints that the server did not answer in time; they can be requested again.
  package private(set) var lateHints: Set<Setting> = []

  /// The settings that this run has set; the server refused others.
  package var written: Set<Setting> { Set(intended.keys).subtracting(input.refusals.keys) }

  /// The settings that this run tried to set, without hints.
  package var attempted: Set<Setting> { Set(attempts.keys.filter { !$0.isHint }) }

  /// Fails for a setting that does not keep its value, whoever set it.
  private static func count(
    _ step: Step, in counts: inout [Setting: Int], atMost limit: Int
  ) throws(SessionError) {
    let count = 1 + (counts[step.setting] ?? 0)
    counts[step.setting] = count
    guard count > limit else { return }
    throw SessionError(
      .refused, stage: .server,
      "\(step.setting.title) did not stay at \(step.to), for which it was planned \(limit) times: "
        + "another program may keep changing it",
      property: step.property, value: step.to.description)
  }

  /// Handles a refused step: a best effort and a run that restores continue without any, other runs without
  /// those that the rest of the mode can do without; or they fail.
  private mutating func refuse(_ step: Step, _ error: SessionError) throws(SessionError) {
    // The rest of the mode does not wait for a hint.
    let isLate = step.setting.isHint && error.code == .timedOut
    if error.endsConnection, !isLate { throw error.about(step) }
    if isLate { lateHints.insert(step.setting) }
    if step.setting.isModule, error.code == .accessDenied {
      input.capabilities.moduleLoading = false
    } else if isDispensable(step) || continuesWithoutSteps {
      input.refusals[step.setting] = error.message
    } else {
      throw error.about(step)
    }
    results.append(.refused(step, error.message))
  }

  /// Whether the run continues without any step that the server refuses.
  package var continuesWithoutSteps: Bool { input.mode.onFailure == .bestEffort || isRestoring }

  /// Whether the rest of the mode is in effect without a step. Programs may forbid that their streams are
  /// moved, which no server shows beforehand.
  private func isDispensable(_ step: Step) -> Bool {
    if case .stream = step.setting, !input.snapshot.isOfOneProgram { return true }
    return step.setting.isHint || step.setting.isOfOthers || onlyRestores(step)
  }

  /// Whether a step restores what an earlier mode set and this one does not name. A default is also set
  /// before a link is removed, a person's mute is copied, and a silent card is switched off.
  func onlyRestores(_ step: Step) -> Bool {
    guard !step.setting.isDefault, input.silentCards == nil else { return false }
    return !step.isPermanent && step.setting.is(.outlivesSession)
      && !lastPlan.claims.contains(step.setting)
  }
}
