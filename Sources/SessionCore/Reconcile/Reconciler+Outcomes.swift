import PulseTypes

extension Reconciler {
  /// Notes what a hint came to.
  mutating func remember(_ step: Step, in snapshot: ServerSnapshot) {
    guard step.setting.isHint, step.to != .absent else { return }
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
