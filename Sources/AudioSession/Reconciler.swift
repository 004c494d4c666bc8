import Logging
import PulseTypes
import SessionCore

/// One step of a run, and what became of it.
public struct StepResult: Sendable, Hashable, Codable {
  /// The step as planned.
  public var step: Step
  /// What became of it.
  public var outcome: StepOutcome
}

/// The one loop that changes a server: plan; run the first phase; see that it is so; plan again.
///
/// First apply, restore and rollback are this loop with another goal. It ends when the plan is empty.
struct Reconciler {
  private let live: LiveServer
  private let store: SessionStore
  private let deadline: Deadline
  private let logger: Logger?
  private let tracer: (@Sendable (TraceEntry) -> Void)?
  private let stop: StopSignal?
  /// What the store had when the run began.
  private let former: Baseline
  /// What the store has now.
  private var onDisk: Baseline
  /// Whether the run undoes another: then it goes on without a store that cannot be written.
  private let isRollback: Bool
  /// The plan's input; its snapshot is replaced in every round.
  private(set) var input: PlanInput
  /// What this run changed, and what was before: the goal of a rollback.
  private(set) var journal = Baseline()
  /// The first plan: what the run promised.
  private(set) var firstPlan: Plan?
  /// The last plan: what it could not meet.
  private(set) var lastPlan = Plan()
  /// Every value that this run sets, in the order of the steps.
  private var intended: [Setting: [SettingValue]] = [:]
  /// Whether anything was asked of the server; until then there is nothing to undo.
  private(set) var hasWritten = false
  private var results: [StepResult] = []
  private var attempts: [Setting: Int] = [:]
  private var latencies: [HintMemory.Attempt] = []

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
    input.grants = await live.grants()
    input.journal = journal
    if firstPlan == nil { input.beginRun() }
    lastPlan = try makePlan()
    if firstPlan == nil { firstPlan = lastPlan }
    return lastPlan
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

  /// On disk before the first write: a process that is killed leaves what revert needs. Where the
  /// disk has it already, as when a wish is put back that was in force, nothing is written.
  private mutating func writeJournal() throws(SessionError) {
    let stored = stored
    let isThere =
      stored.serverCookie == onDisk.serverCookie
      && intended.allSatisfy { setting, values in
        values.allSatisfy { onDisk[setting]?.isOurs($0) == true }
      } && journal.entries.allSatisfy { onDisk[$0.setting] != nil }
    guard !isThere else { return }
    do throws(SessionError) {
      try store.write(stored)
      onDisk = stored
    } catch {
      guard isRollback else { throw error }
      // What is on disk says less than it might; going back is worth more.
      logger?.debug("journal not written", metadata: ["error": "\(error.message)"])
    }
  }

  /// The baseline of the store with this run's changes, and each value that the run may leave there
  /// if it is cut short: what it was before the run, and what any of the steps sets.
  var stored: Baseline {
    var result = (isRollback ? former : input.baseline).valid(for: input.snapshot)
    for entry in journal.entries {
      result.record(entry.setting, before: entry.before, ours: entry.ours)
      let ours = former[entry.setting]?.ours.map { [$0] } ?? []
      result.expect(ours + intended[entry.setting, default: []], of: entry.setting)
    }
    result.serverCookie = input.snapshot.server.cookie
    return result
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

  private mutating func remember(_ step: Step) async {
    guard step.setting.isHint, step.to != .absent else { return }
    let snapshot = await live.snapshot
    let got = snapshot.value(of: step.setting) ?? .absent
    journal.note(step.setting, got: got)
    input.baseline.note(step.setting, got: got)
    guard case .latency(let direction, let name) = step.setting else {
      // A rate that was not granted must not be asked for again in the next round; but one that a
      // stream was in the way of must, once that is gone. PipeWire needs nobody out of the way: what
      // it does not grant then is asked for again only in case it was late.
      if case .rate(let direction, let name) = step.setting, got != step.to,
        let device = snapshot.device(direction, named: name),
        snapshot.programs(runningOn: device) != nil,
        !snapshot.hasGraph || attempts[step.setting, default: 0] < 3
      {
        return
      }
      return input.memory.note(
        HintMemory.Attempt(setting: step.setting, asked: step.to, got: got), on: snapshot)
    }
    // A latency is held by its pin for the rest of the run, and only remembered after it.
    let latency = snapshot.device(direction, named: name)?.configuredLatency
    latencies.append(
      HintMemory.Attempt(
        setting: step.setting, asked: step.to, got: latency.map(SettingValue.duration) ?? .absent))
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

  /// The steps of the first plan with their outcomes, then those that nobody foresaw.
  var report: [StepResult] {
    var rest = results
    var report = (firstPlan?.steps ?? []).map { step in
      guard
        let at = rest.firstIndex(where: { $0.step.setting == step.setting && $0.step.to == step.to }
        )
          ?? rest.firstIndex(where: { $0.step.property == step.property && step.isDeferred })
      else { return StepResult(step: step, outcome: .dropped) }
      return StepResult(step: step, outcome: rest.remove(at: at).outcome)
    }
    report += rest.filter { $0.outcome != .alreadySo }
    return report
  }
}

extension SessionError {
  /// The error with the step that met it.
  func about(_ step: Step) -> SessionError {
    var result = self
    result.property = property ?? step.property
    result.value = value ?? step.to.description
    result.message =
      "cannot set \(step.setting.propertyName) of \(step.setting.object) to \(step.to): \(message)"
    return result
  }
}
