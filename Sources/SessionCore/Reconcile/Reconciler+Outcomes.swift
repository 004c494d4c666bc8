import PulseTypes

/// What a server told about a step, beside what the snapshot after it says.
package enum StepAnswer: Sendable {
  /// It carried it out. `told` is the latency that a pin was granted, or the rate that a device kept
  /// while a pin asked it for another.
  case done(told: SettingValue?)
  /// What the step was about has ended.
  case ended
}

extension Reconciler {
  /// What became of a step, read from the snapshot after it; nil where it was so and is no more.
  func outcome(
    of step: Step, _ answer: StepAnswer, in snapshot: ServerSnapshot
  ) -> (outcome: StepOutcome, got: SettingValue?)? {
    guard case .done(let told) = answer else { return (.dropped, nil) }
    guard step.setting.isHint else { return snapshot.satisfies(step) ? (.applied, nil) : nil }
    let now = snapshot.value(of: step.setting)
    guard now == step.to, case .duration(let asked) = step.to else {
      let got = now == .absent ? told ?? .absent : now ?? .absent
      return (
        now == step.to ? .applied : .notGranted(now == nil ? "gone" : got.description), got
      )
    }
    // That the pin is there says nothing of what the device gave.
    guard let device = snapshot.device(of: step.setting),
      let given = snapshot.latency(givenTo: asked, granted: told?.duration, on: device)
    else { return (.notGranted("not told"), .absent) }
    let isMet = snapshot.fit(given, asked: asked, on: device) == .met
    return (isMet ? .applied : .notGranted(Words.milliseconds(given)), .duration(given))
  }

  /// Keeps what a device gave: a server does not say beforehand whether it will.
  mutating func remember(_ step: Step, got given: SettingValue?, in snapshot: ServerSnapshot) {
    guard step.setting.isHint, step.to != .absent else { return }
    let now = snapshot.value(of: step.setting) ?? .absent
    journal.note(step.setting, got: now)
    input.baseline.note(step.setting, got: now)
    let attempt = HintMemory.Attempt(setting: step.setting, asked: step.to, got: given ?? now)
    guard case .rate(let direction, let name) = step.setting else {
      // A latency is held by its pin for the rest of the run, and only remembered after it.
      latencies.append(attempt)
      return
    }
    // A rate that was not granted must not be asked for again in the next round; but one that a stream
    // was in the way of must, once that is gone. PipeWire needs nobody out of the way: what it does not
    // grant then is asked for again only in case it was late.
    if attempt.got != step.to, let device = snapshot.device(direction, named: name),
      snapshot.programs(runningOn: device) != nil,
      !snapshot.has(.forcedGraph) || attempts[step.setting, default: 0] < 3
    {
      return
    }
    input.memory.note(attempt, on: snapshot)
  }

  /// The steps of the first plan with their outcomes, then those that nobody foresaw.
  package var report: [StepResult] {
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
