import PulseTypes

@testable import SessionCore

/// The shipped reconciler on a model server.
struct Run {
  var server: SimulatedServer
  /// The loop that the session runs, too.
  private(set) var loop: Reconciler
  private(set) var plans: [Plan] = []
  private(set) var failure: String?
  /// What a plan refused before the first write.
  private(set) var refusal: SessionError?
  /// Whether the session takes what it asked for as what the server has, instead of reading it back.
  var isCredulous = false

  /// What the plans are made from.
  var input: PlanInput {
    get { loop.input }
    set { loop.input = newValue }
  }
  var journal: Baseline { loop.journal }

  init(_ server: SimulatedServer, _ input: PlanInput) {
    self.server = server
    loop = Reconciler(input)
  }

  /// Runs to the end, or to the given number of batches.
  mutating func run(rounds: Int = 12, batches: Int = .max) {
    do throws(SessionError) {
      while failure == nil, refusal == nil {
        switch try loop.next(isStopped: false, isLate: false) {
        case .read:
          guard plans.count < batches else { return }
          guard plans.count < rounds else {
            failure = "not converged after \(rounds) rounds"
            return
          }
          plan()
        case .save: try loop.didSave(.success(()))
        case .check: loop.didCheck(server.snapshot)
        case .run(let step): try take(step)
        case .finish: return
        }
      }
    } catch {
      failure = error.message
    }
  }

  private mutating func plan() {
    server.catchUp()
    do throws(SessionError) {
      let plan = try loop.didRead(server.snapshot, grants: server.grants)
      plans.append(plan)
      // Where things are is known, or searched for: the plan is the same.
      var placed = loop.input
      placed.snapshot.findPlaces(properties: Owned.soughtProperties)
      if try Plan.make(placed) != plan { failure = "another plan where places are known" }
    } catch {
      refusal = error
    }
  }

  private mutating func take(_ step: Step) throws(SessionError) {
    do throws(SimulatedServer.Refusal) {
      try server.run(step)
    } catch {
      let code = error.message == "Access denied" ? SessionError.Code.accessDenied : .refused
      return try loop.didFail(SessionError(code, stage: .server, error.message))
    }
    if isCredulous {
      var asked = PredictedServer(server.snapshot)
      asked.apply(step.setting, step.to)
      return loop.didRun(.done(granted: step.to), asked.snapshot)
    }
    let isLate = !server.acknowledged.isEmpty
    if !step.setting.isHint, server.ignores.contains(step.setting) {
      return try loop.didFail(
        SessionError(.refused, stage: .server, "the server accepted it and shows another value"))
    }
    if !step.setting.isHint, !isLate, !server.snapshot.satisfies(step) {
      let now = server.snapshot.value(of: step.setting)
      failure = "\(step.setting) is \(String(describing: now)) after it was set to \(step.to)"
    }
    let granted = server.giveUp(step) ?? server.grants[step.setting].map { .duration($0) }
    loop.didRun(.done(granted: granted), server.snapshot)
  }

  /// The properties that the first plan printed, as steps or as unmet.
  var promised: Set<Property> {
    let first = Set(plans.first.map { $0.steps.map(\.property) + $0.unmet.map(\.property) } ?? [])
    // Pattern and orientation are made by the channel map's remap.
    let isMap = !first.isDisjoint(with: [.polarPattern, .inputOrientation])
    // Whether somebody records is known once the streams of a monitor have come over.
    let isIdle = input.mode.unloadsIdleEchoCanceller == true
    // On PipeWire a holder's hints come after everything else.
    let hintsLater = input.occasion != .asked && server.snapshot.has(.earlyReplies)
    return first.union(isMap ? [.channelMap] : []).union(
      isIdle ? [.mode, .preferredInput, .preferredOutput] : []
    ).union(hintsLater ? [.sampleRate, .ioBufferDuration] : [])
  }

  /// Steps of later plans on properties that the first did not print; to put back what a step made
  /// the server change by itself is no surprise, and streams come and go.
  func surprises(since before: ServerSnapshot) -> [String] {
    plans.dropFirst().flatMap { plan in
      zip(plan.steps, plan.lines).filter { step, _ in
        if case .stream = step.setting { return false }
        // A default that must be put back may need its port first.
        if case .port = step.setting, step.phase == .preferredDevices { return false }
        return !promised.contains(step.property) && before.value(of: step.setting) != step.to
      }.map(\.1)
    }
  }

  /// What the store keeps after the run.
  var stored: Baseline {
    var result = loop.stored
    result.settle(in: server.snapshot, claims: Set(loop.lastPlan.claims))
    return result
  }

  /// All steps of all plans, for a failure's message.
  var trace: String {
    "\(input.mode)\n"
      + plans.enumerated().map { at, plan in
        (["plan \(at)"] + plan.lines + plan.unmetLines + plan.left).joined(separator: "\n  ")
      }.joined(separator: "\n") + (failure.map { "\n\($0)" } ?? "")
      + (refusal.map { "\n\($0)" } ?? "")
  }
}
