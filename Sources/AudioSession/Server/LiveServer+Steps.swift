import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Makes one change and waits for its postcondition.
  ///
  /// Throws if the server refuses, or the postcondition is not met in time. A hint that is not
  /// granted is not a failure.
  ///
  /// - Parameters:
  ///   - limit: until when the server may take to show it, where other steps need time, too.
  ///   - deadline: until when it must have answered.
  func run(
    _ step: Step, limit: Deadline? = nil, deadline: Deadline
  ) async throws(SessionError) -> StepAnswer {
    let limit = limit ?? deadline
    if snapshot.lacksSessionManager { throw .noSessionManager }
    roundTrips += 1
    let time = answerTime(deadline)
    let stream = snapshot.stream(of: step.setting)
    let place = snapshot.place(of: step)
    let changes = reports(of: step)
    await notePlace(before: step)
    do throws(PulseError) {
      try await write(step, deadline)
    } catch {
      doubt()
      // A stream that has ended in the meantime needs nothing.
      if step.setting.isOfStream, error.code == .noSuchEntity {
        // The snapshot may still show the stream, and no later step would correct the values of the
        // program's next one.
        if let stream { await endMemory(of: stream.index) }
        return .ended
      }
      // Without the device the next plan uses another one.
      if error.code == .noSuchEntity, place.device != nil {
        try await refresh(objects(of: step.setting), deadline: deadline)
        if snapshot.place(of: step) != place { return .outdated }
      }
      if !step.setting.is(.ownStream) { noteSilence(error, after: time) }
      // Without its session manager PipeWire lets a stream wait for ever, and reports nothing.
      if await hasLostSessionManager() { throw .noSessionManager }
      throw SessionError(error).explained(step, error.code)
    }
    if step.setting.is(.makesObjects) { doubt() }
    try await refresh(objects(of: step.setting), deadline: deadline)
    if step.setting.isHint {
      let kept = try await awaitPin(step, deadline: deadline)
      let granted = await granted(step.setting)
      return .done(granted: granted.map(SettingValue.duration) ?? kept.map(SettingValue.rate))
    }
    var isMet = try await wait(
      deadline: patience(for: step, limit), answer: deadline
    ) { $0.satisfies(step) || $0.place(of: step) != place }
    if !isMet, snapshot.has(.earlyReplies), step.setting.isDefault {
      let rivals = try await insist(on: step, at: place, since: changes, limit: limit, deadline)
      if rivals == ConflictDetector.limit { return .undone(notKept(step), times: rivals) }
      isMet = snapshot.satisfies(step)
    }
    // A default does not take effect while its device's port is unavailable, however often it is
    // set, and a level that is in effect is another port's, or another device's.
    guard snapshot.place(of: step) == place else { return .outdated }
    if !isMet, snapshot.hasRounded(step) {
      isMet = try await writeAgain(step, patience: patience(for: step, limit).remaining, deadline)
    }
    var pause = Duration.seconds(1)
    while !isMet, snapshot.has(.earlyReplies), step.setting.is(.isLostAtTimes), !limit.hasPassed {
      isMet = try await writeAgain(step, patience: min(limit.remaining, pause), deadline)
      pause = pause * 2
    }
    guard isMet else {
      if deadline.hasPassed { throw notShown(step) }
      // A server that answers only after it acted has shown the change to the other program, and reported
      // it to all.
      let wasShown =
        !snapshot.has(.earlyReplies) && snapshot.value(of: step.setting) != nil
        && !snapshot.passesOver(step)
        // A module and a stream of the session were there when it answered.
        && (step.setting.isModule || step.setting.is(.ownStream) || reports(of: step) != changes)
      guard wasShown else { throw notTaken(step) }
      return .undone(notKept(step), times: 1)
    }
    if let stream { await keepMemory(of: stream, beside: step) }
    await tendPlaces()
    return .done(granted: nil)
  }

  /// The server had time to answer, and shows another value.
  private func notKept(_ step: Step) -> SessionError {
    SessionError(
      .refused, stage: .server,
      "it was set, and the server says \(shown(step)): another program may be changing it")
  }

  /// The server accepted it, and has neither shown it for as long as this may take nor reported a change:
  /// PipeWire does not report that a card refused.
  private func notTaken(_ step: Step) -> SessionError {
    SessionError(
      .refused, stage: .server,
      "the server accepted it and still says \(shown(step)): the device may have refused it, or the server "
        + "may be overloaded")
  }

  private func notShown(_ step: Step) -> SessionError {
    SessionError(
      .timedOut, stage: .server,
      "timed out waiting for it; the server still says \(shown(step)) and may be overloaded (a "
        + "longer --timeout may help)")
  }

  private func shown(_ step: Step) -> String {
    snapshot.value(of: step.setting)?.description ?? "gone"
  }

  private func hasLostSessionManager() async -> Bool {
    guard snapshot.has(.sessionManager) else { return false }
    do throws(SessionError) {
      return try await refresh(deadline: Deadline(after: .milliseconds(500))).lacksSessionManager
    } catch {
      return false
    }
  }

  /// How long a postcondition may take. PulseAudio answers after it has acted, so a value that is
  /// not there at once was changed by another program; only devices of a new profile may appear
  /// later. PipeWire answers first, and never reports that a card refused.
  func patience(for step: Step, _ deadline: Deadline) -> Deadline {
    let most = step.setting.patience(isLazy: snapshot.has(.earlyReplies))
    return most.map { Deadline(after: min(deadline.remaining, $0)) } ?? deadline
  }

  /// Repeats a write that the server does not show; true if it then does.
  ///
  /// If two clients ask at once for what a card has changed, PipeWire 0.3.65 may report the former
  /// port or volume to one of them, until the value changes again.
  private func writeAgain(
    _ step: Step, patience: Duration, _ deadline: Deadline
  ) async throws(SessionError) -> Bool {
    try await awake(step.setting, deadline) { () throws(SessionError) in
      do throws(PulseError) {
        try await write(step, deadline)
      } catch {
        doubt()
        throw SessionError(error)
      }
      return try await wait(
        deadline: Deadline(after: min(deadline.remaining, patience)), answer: deadline
      ) { $0.satisfies(step) }
    }
  }

  /// How often the server has reported changes of what a step changes.
  func reports(of step: Step) -> Int {
    objects(of: step.setting).reduce(0) { $0 + reported.count(of: $1) }
  }

  /// The objects to read again after a write, besides those that events name.
  private func objects(of setting: Setting) -> Set<ObjectID> {
    Set(setting.written(in: snapshot))
  }
}

extension SessionError {
  /// Adds the most likely reason for the server's plain refusal.
  fileprivate func explained(_ step: Step, _ code: PulseError.Code) -> SessionError {
    guard case .echoCanceller(let spec) = step.to, code == .moduleFailed || code == .noSuchEntity
    else { return self }
    var result = self
    let channels = spec.map.count == 1 ? "one channel" : "\(spec.map.count) channels"
    result.message =
      "the server has no echo canceller '\(spec.method)', or none for \(channels): "
      + "module-echo-cancel did not load"
    if spec.method != EchoCancellerSpec.defaultMethod {
      result.alternatives = [
        Property.echoCanceller.line { $0.echoCanceller = EchoCancellerSpec.defaultMethod }
      ]
    }
    return result
  }
}
