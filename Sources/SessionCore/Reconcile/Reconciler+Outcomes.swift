import PulseTypes

extension Reconciler {
  /// The result of a step, read from the snapshot after it, and what a hint was granted; nil if the
  /// value has changed again since.
  func result(
    of step: Step, _ answer: StepAnswer, in snapshot: ServerSnapshot
  ) -> (result: StepResult, got: SettingValue?)? {
    guard case .done(let granted) = answer else { return (.dropped(step), nil) }
    let setting = step.setting
    let now = snapshot.value(of: setting)
    let grants = granted?.duration.map { [setting: $0] } ?? [:]
    var fact = Fact.setting(setting)
    var isMet: (SettingValue) -> Bool = { _ in snapshot.satisfies(step) }
    var got = now == .absent ? granted ?? .absent : now ?? .absent
    if setting.isHint, now == step.to, case .duration(let asked) = step.to,
      let device = snapshot.device(of: setting)
    {
      // The existence of the pin does not show what the device granted.
      fact = .grant(setting, asked: step.to)
      isMet = { $0.duration.map { snapshot.fit($0, asked: asked, on: device) } == .met }
      got = fact.find(in: snapshot, grants, HintMemory())?.value ?? .absent
    }
    let observer = Observer(snapshot, grants: grants, memory: HintMemory())
    switch observer.judge([
      .value(fact, asked: step.to, isMet: isMet) { _ in .overridden(step.setting.object) }
    ]) {
    case .met(let proof):
      return (.applied(step, proof), setting.isHint ? got : nil)
    case .unmet(_, let readings) where setting.isHint:
      let text =
        now == nil ? "gone" : now == step.to && got == .absent ? "unknown" : got.description
      return (.notGranted(step, text, readings), got)
    case .unmet:
      // A stream that has ended needs nothing, and shows nothing.
      return snapshot.satisfies(step) ? (.dropped(step), nil) : nil
    }
  }

  /// Counts the value that the server shows as the session's, in place of the requested one.
  mutating func note(_ setting: Setting, got now: SettingValue, in snapshot: ServerSnapshot) {
    journal.note(setting, got: now, in: snapshot)
    input.baseline.note(setting, got: now, in: snapshot)
  }

  /// Stores what a device granted: a server does not announce that beforehand.
  mutating func remember(_ step: Step, got given: SettingValue?, in snapshot: ServerSnapshot) {
    guard step.setting.isHint, step.to != .absent else { return }
    let now = snapshot.value(of: step.setting) ?? .absent
    note(step.setting, got: now, in: snapshot)
    let attempt = HintMemory.Attempt(setting: step.setting, asked: step.to, got: given ?? now)
    guard step.setting.isRate else {
      // The pin holds the latency during the run, so it is stored only at the end.
      latencies.append(attempt)
      return
    }
    // A rate that was not granted must not be requested again in the next round, except if a stream
    // prevented it and may end. PipeWire does not depend on other streams: there a rate is
    // requested again only in case it was late.
    if attempt.got != step.to, let device = snapshot.device(of: step.setting),
      snapshot.programs(runningOn: device) != nil,
      !snapshot.has(.graphRate) || attempts[step.setting, default: 0] < 3
    {
      return
    }
    input.memory.note(attempt, on: snapshot)
  }

  /// The steps that came into effect; the server may have refused them all.
  package var effects: [Step] {
    results.compactMap { result in
      switch result.outcome {
      case .applied, .alreadySo, .notGranted: result.step
      case .refused, .dropped: nil
      }
    }
  }

  /// The steps of the first plan with their outcomes, then the unplanned ones. A deferred step may have
  /// been refined: then the one that ran in its place.
  package var report: [StepResult] {
    var rest = results
    var report = (firstPlan?.steps ?? []).map { step in
      let at =
        rest.firstIndex { $0.step.setting == step.setting && $0.step.to == step.to }
        ?? rest.firstIndex { $0.step.setting == step.setting && step.isDeferred }
        ?? rest.firstIndex { $0.step.property == step.property && step.isDeferred }
      return at.map { rest.remove(at: $0).planned(as: step) } ?? .dropped(step)
    }
    report += rest.filter { $0.outcome != .alreadySo }
    return report
  }
}
