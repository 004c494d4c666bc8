import PulseTypes

/// The server's answer to a step, in addition to the snapshot after it.
package enum StepAnswer: Sendable {
  /// The step was carried out. `granted` is the latency that a pin was granted, or the rate that a
  /// device kept although a pin requested another.
  case done(granted: SettingValue?)
  /// The object of the step has ended.
  case ended
  /// The step was carried out, and another program changed the value at once; the error has the
  /// value.
  case undone(SessionError)
}

extension Reconciler {
  /// The outcome of a step, read from the snapshot after it; nil if the value has changed again
  /// since.
  func outcome(
    of step: Step, _ answer: StepAnswer, in snapshot: ServerSnapshot
  ) -> (outcome: StepOutcome, got: SettingValue?)? {
    guard case .done(let granted) = answer else { return (.dropped, nil) }
    guard step.setting.isHint else { return snapshot.satisfies(step) ? (.applied, nil) : nil }
    let now = snapshot.value(of: step.setting)
    guard now == step.to, case .duration(let asked) = step.to else {
      let got = now == .absent ? granted ?? .absent : now ?? .absent
      return (
        now == step.to ? .applied : .notGranted(now == nil ? "gone" : got.description), got
      )
    }
    // The existence of the pin does not show what the device granted.
    guard let device = snapshot.device(of: step.setting),
      let given = snapshot.latency(givenTo: asked, granted: granted?.duration, on: device)
    else { return (.notGranted("not told"), .absent) }
    let isMet = snapshot.fit(given, asked: asked, on: device) == .met
    return (isMet ? .applied : .notGranted(Words.milliseconds(given)), .duration(given))
  }

  /// Stores what a device granted: a server does not announce that beforehand.
  mutating func remember(_ step: Step, got given: SettingValue?, in snapshot: ServerSnapshot) {
    guard step.setting.isHint, step.to != .absent else { return }
    let now = snapshot.value(of: step.setting) ?? .absent
    journal.note(step.setting, got: now)
    input.baseline.note(step.setting, got: now)
    let attempt = HintMemory.Attempt(setting: step.setting, asked: step.to, got: given ?? now)
    guard case .rate(let direction, let name) = step.setting else {
      // The pin holds the latency during the run, so it is stored only at the end.
      latencies.append(attempt)
      return
    }
    // A rate that was not granted must not be requested again in the next round, except if a stream
    // prevented it and may end. PipeWire does not depend on other streams: there a rate is
    // requested again only in case it was late.
    if attempt.got != step.to, let device = snapshot.device(direction, named: name),
      snapshot.programs(runningOn: device) != nil,
      !snapshot.has(.forcedGraph) || attempts[step.setting, default: 0] < 3
    {
      return
    }
    input.memory.note(attempt, on: snapshot)
  }

  /// The steps of the first plan with their outcomes, then the unplanned ones.
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
