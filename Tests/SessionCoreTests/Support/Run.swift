import PulseTypes

@testable import SessionCore

/// The reconciler's loop on a simulated server: plan; run the first phase; plan again.
struct Run {
  var server: SimulatedServer
  var input: PlanInput
  private(set) var journal = Baseline()
  private(set) var plans: [Plan] = []
  private(set) var failure: String?
  /// What a plan refused before the first write.
  private(set) var refusal: SessionError?

  init(_ server: SimulatedServer, _ input: PlanInput) {
    self.server = server
    self.input = input
    self.input.beginRun()
  }

  /// Runs to the end, or to the given number of batches.
  mutating func run(rounds: Int = 12, batches: Int = .max) {
    for round in 0..<rounds where round < batches {
      guard let plan = plan() else { return }
      plans.append(plan)
      guard let first = plan.steps.first else { return }
      guard !first.isDeferred else {
        failure = "the object of a deferred step never came: \(plan.lines[0])"
        return
      }
      let batch = plan.steps.prefix { $0.phase == first.phase && !$0.isDeferred }
      for step in batch {
        journal.record(step, in: server.snapshot)
        input.baseline.follow(step, in: server.snapshot)
      }
      for step in batch {
        guard server.snapshot.value(of: step.setting) != step.to else { continue }
        // What the server refused changes the plan: the rest of the batch was made without knowing.
        guard take(step) else { break }
      }
      if failure != nil { return }
    }
    if batches == .max { failure = "not converged after \(rounds) rounds" }
  }

  private mutating func plan() -> Plan? {
    input.snapshot = server.snapshot
    input.journal = journal
    var placed = input
    placed.snapshot.findPlaces(properties: Owned.soughtProperties)
    let (plan, same) = (Self.plan(input), Self.plan(placed))
    // Where things are is known, or searched for: the plan is the same.
    if (try? plan.get()) != (try? same.get()) { failure = "another plan where places are known" }
    switch plan {
    case .success(let plan): return plan
    case .failure(let error): refusal = error
    }
    return nil
  }

  private static func plan(_ input: PlanInput) -> Result<Plan, SessionError> {
    Result { () throws(SessionError) in try Plan.make(input) }
  }

  /// Runs one step; false where the server said no.
  private mutating func take(_ step: Step) -> Bool {
    do throws(SimulatedServer.Refusal) {
      try server.run(step)
      let now = server.snapshot.value(of: step.setting)
      if step.setting.isHint, step.to != .absent {
        let got = now ?? .absent
        journal.note(step.setting, got: got)
        input.baseline.note(step.setting, got: got)
        input.memory.note(
          HintMemory.Attempt(setting: step.setting, asked: step.to, got: got),
          on: server.snapshot)
      } else if now != step.to {
        failure = "\(step.setting) is \(String(describing: now)) after it was set to \(step.to)"
      }
      return failure == nil
    } catch {
      if step.setting.isModule, error.message == "Access denied" {
        input.capabilities.moduleLoading = false
      } else if case .others = step.setting {
        input.capabilities.roleModules = false
      } else if step.setting.isHint || step.setting.isOfOthers
        || input.wish.onFailure == .bestEffort
      {
        input.refusals[step.setting] = error.message
      } else {
        failure = "\(step.setting) to \(step.to): \(error.message)"
      }
      return false
    }
  }

  /// The properties that the first plan printed, as steps or as unmet.
  var promised: Set<String> {
    let first = Set(plans.first.map { $0.steps.map(\.property) + $0.unmet.map(\.property) } ?? [])
    // Pattern and orientation are made by the channel map's remap.
    let isMap = !first.isDisjoint(with: ["polarPattern", "inputOrientation"])
    // Whether somebody records is known once the streams of a monitor have come over.
    let isIdle = input.wish.unloadsIdleEchoCanceller == true
    return first.union(isMap ? ["channelMap"] : []).union(
      isIdle ? ["mode", "preferredInput", "preferredOutput"] : [])
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
    var result = input.baseline
    for entry in journal.entries {
      result.record(entry.setting, before: entry.before, ours: entry.ours)
    }
    result.settle(in: server.snapshot)
    return result
  }

  /// All steps of all plans, for a failure's message.
  var trace: String {
    "\(input.wish)\n"
      + plans.enumerated().map { at, plan in
        (["plan \(at)"] + plan.lines + plan.unmetLines + plan.left).joined(separator: "\n  ")
      }.joined(separator: "\n") + (failure.map { "\n\($0)" } ?? "")
      + (refusal.map { "\n\($0)" } ?? "")
  }
}

extension ServerSnapshot {
  /// All that a rollback must bring back, by name.
  var fingerprint: [String] {
    var lines = cards.map { "\($0.name) \($0.activeProfile ?? "none")" }
    for direction in Direction.allCases {
      lines.append("default \(direction) \(server.defaultName(direction) ?? "none")")
      for device in devices(direction) {
        lines.append(
          "\(device.name) port \(device.activePort ?? "none"), "
            + "volume \(device.volume.values.map(\.rawValue)), muted \(device.isMuted)")
      }
    }
    for card in cards {
      for port in card.ports { lines.append("\(card.name) \(port.name) \(port.latencyOffset)") }
    }
    lines += modules.map { "module \($0.name) \($0.argument)" }
    return lines.sorted()
  }
}
