import Logging
import PulseTypes
import SessionCore

/// The one loop that changes a server: plan; run the first phase; see that it is so; plan again.
///
/// First apply, restore and rollback are this loop with another goal. It ends when the plan is empty.
struct Reconciler {
  let live: LiveServer
  let store: SessionStore
  private let deadline: Deadline
  let logger: Logger?
  private let tracer: (@Sendable (TraceEntry) -> Void)?
  private let stop: StopSignal?
  /// What the store had when the run began.
  let former: Baseline
  /// What the store has now.
  var onDisk: Baseline
  /// Whether the run undoes another: then it goes on without a store that cannot be written.
  let isRollback: Bool
  /// The plan's input; its snapshot is replaced in every round.
  var input: PlanInput
  /// What this run changed, and what was before: the goal of a rollback.
  var journal = Baseline()
  /// The first plan: what the run promised.
  private(set) var firstPlan: Plan?
  /// The last plan: what it could not meet.
  private(set) var lastPlan = Plan()
  /// Every value that this run sets, in the order of the steps.
  var intended: [Setting: [SettingValue]] = [:]
  /// Whether anything was asked of the server; until then there is nothing to undo.
  private(set) var hasWritten = false
  var results: [StepResult] = []
  var attempts: [Setting: Int] = [:]
  var latencies: [HintMemory.Attempt] = []

  init(
    _ live: LiveServer, _ store: SessionStore, _ input: PlanInput, deadline: Deadline,
    configuration: SessionConfiguration, stop: StopSignal? = nil, undoing stored: Baseline? = nil
  ) {
    self.live = live
    self.store = store
    self.input = input
    former = stored ?? input.baseline
    onDisk = former
    isRollback = stored != nil
    self.deadline = deadline
    logger = configuration.logger
    tracer = configuration.tracer
    self.stop = stop
  }

  /// Brings the snapshot up to date and plans; with nothing to do there is nothing to run.
  mutating func plan() async throws(SessionError) -> Plan {
    // Upkeep looks again at what changes meanwhile; in a storm it must not chase that.
    let isGlance = firstPlan == nil && input.occasion == .upkeep
    input.snapshot = try await live.refresh(
      rounds: isGlance ? 1 : LiveServer.mostRounds, deadline: deadline)
    await takeOver()
    input.grants = await live.grants()
    input.journal = journal
    if firstPlan == nil { input.beginRun() }
    lastPlan = try makePlan()
    if firstPlan == nil { firstPlan = lastPlan }
    return lastPlan
  }

  /// What a program's stream begins with because the session made the former one so is no choice of
  /// anybody's: what was before that one counts.
  private mutating func takeOver() async {
    for (setting, before) in await live.takeOver(in: input.snapshot)
    where input.baseline[setting] == nil {
      guard let now = input.snapshot.value(of: setting), now != before else { continue }
      input.baseline.record(setting, before: before, ours: now)
    }
  }

  private func makePlan() throws(SessionError) -> Plan {
    guard let tracer else { return try Plan.make(input) }
    let entry = TraceEntry.planning(input)
    tracer(entry)
    if case .unplannable(_, let error) = entry { throw error }
    guard case .planned(_, let plan) = entry else { return Plan() }
    return plan
  }

  /// Runs until the plan is empty; begins with one that was just made, if there is one.
  mutating func run(_ ready: Plan? = nil) async throws(SessionError) {
    var ready = ready
    while true {
      try checkStop()
      let plan: Plan
      if let made = ready { plan = made } else { plan = try await self.plan() }
      ready = nil
      guard let first = plan.steps.first else {
        for attempt in latencies { input.memory.note(attempt, on: input.snapshot) }
        return
      }
      logger?.debug("plan", metadata: ["steps": "\(plan.steps.count)", "phase": "\(first.phase)"])
      if first.isDeferred {
        try await waitForObject(of: first)
      } else {
        let batch = plan.steps.prefix { $0.phase == first.phase && !$0.isDeferred }
        try await run(Array(batch))
      }
    }
  }

  /// A step whose object an earlier one should have made: it may still be on its way.
  private func waitForObject(of step: Step) async throws(SessionError) {
    let before = input.snapshot
    let hasChanged = try await live.wait(deadline: deadline) { $0 != before }
    guard hasChanged else {
      throw SessionError(
        .timedOut, stage: .server,
        "\(step.setting.object) did not appear after its card profile was set",
        property: step.property)
    }
  }

  private mutating func run(_ batch: [Step]) async throws(SessionError) {
    for step in batch {
      journal.record(step, in: input.snapshot)
      if !step.isPermanent { intended[step.setting, default: []].append(step.to) }
    }
    try writeJournal()
    for step in batch {
      try checkStop()
      let snapshot = try await live.refresh(deadline: deadline)
      if snapshot.value(of: step.setting) == step.to {
        results.append(StepResult(step: step, outcome: .alreadySo))
        continue
      }
      try checkTime(step)
      try countAttempt(step)
      input.baseline.follow(step, in: snapshot)
      hasWritten = true
      do throws(SessionError) {
        let outcome = try await live.run(step, deadline: deadline)
        results.append(StepResult(step: step, outcome: outcome))
        tracer?(.ran(step, "\(outcome)"))
        await remember(step)
      } catch {
        tracer?(.ran(step, error.message))
        try refuse(step, error)
        // The steps after it may have counted on it: they are planned anew.
        return
      }
    }
  }

  /// Between steps is the only place to stop: the journal has all that was done until here.
  private func checkStop() throws(SessionError) {
    guard stop?.isRaised == true else { return }
    throw SessionError(.cancelled, stage: .session, "cancelled before all was done")
  }

  /// Past the deadline a reading stops half-way, and a plan would be made on what is no longer so.
  private func checkTime(_ step: Step) throws(SessionError) {
    guard deadline.hasPassed else { return }
    throw SessionError(
      .timedOut, stage: .server, "the time was over; try again: the server may be overloaded"
    ).about(step)
  }

  /// What this run tried to set, hints apart.
  var attempted: Set<Setting> { Set(attempts.keys.filter { !$0.isHint }) }

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
