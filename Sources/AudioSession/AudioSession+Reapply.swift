import Logging
import PulseTypes
import SessionCore

extension AudioSession {
  /// Makes the wish so again, where it is not; costs no write where it is.
  ///
  /// A call of the owner's stops it between two steps (`cancelled`): that plans from what is anyway, and
  /// need not wait for a wish that it may replace.
  func reapply(_ live: LiveServer, _ occasion: Occasion) async throws(SessionError) {
    guard let own else { return }
    let (store, start) = (store(live), upkeep.now)
    var input = try await input(own.mode, live, store, isExplicit: false)
    input.occasion = occasion
    let known = input.baseline
    if occasion == .upkeep { await noteRestored(&input, live) }
    // What was refused before may be possible now; who refuses again and again is given way to.
    input.refusals = [:]
    input.yielded = upkeep.conflicts.yielded(at: upkeep.now)
    held?.charges.follow(input.snapshot, at: start)
    // A server that was restarted has levels of its own, for every device.
    if occasion == .reset { held?.charges = Charges() }
    input.charges = held?.charges
    // What is away is waited for, and the rest is kept meanwhile.
    input.wish.onFailure = .bestEffort
    let stop = StopSignal()
    mending = stop
    if callers > 0 { stop.set() }
    defer { mending = nil }
    let driver = ReconcilerDriver(
      live, store, deadline: Deadline(after: configuration.timeout),
      configuration: configuration, stop: stop)
    var run = Reconciler(input, tracer: configuration.tracer)
    let plan = try await driver.plan(&run)
    guard !plan.isEmpty else {
      held?.charges.take(run.charged, in: run.input.snapshot, arrival: start)
      guard run.input.baseline != known else { return }
      try store.write(run.input.baseline)
      held?.baseline = run.input.baseline
      return
    }
    emit(.drift(plan.steps.map(\.property).removingDuplicates()))
    do throws(SessionError) {
      try await driver.run(&run)
    } catch {
      // What was before is on disk, and what was done is not planned again.
      held?.baseline = run.stored
      if occasion == .upkeep, error.code != .cancelled { await noteConflicts(run.attempted, live) }
      throw error
    }
    refusals = run.input.refusals
    capabilities = run.input.capabilities
    if occasion == .upkeep {
      upkeep.restores.note(run.attempted.filter { known[$0] == nil }, at: upkeep.now)
    }
    var baseline = run.stored
    baseline.settle(in: run.input.snapshot)
    if baseline != known { try store.write(baseline) }
    // A hint that was not granted must not be asked for again at the next look.
    held = Held(
      baseline: baseline, memory: run.input.memory, wish: try wish(store),
      charges: held?.charges ?? Charges())
    held?.charges.take(run.charged, in: run.input.snapshot, arrival: start)
    upkeep.reapplies += 1
    emit(.reapplied(upkeep.now - start))
    if occasion == .upkeep { await noteConflicts(run.attempted, live) }
  }

  /// Takes what the session manager restored of streams that have just begun for what they were before,
  /// but where that is what the session made the program's former stream.
  private func noteRestored(_ input: inout PlanInput, _ live: LiveServer) async {
    let restored = upkeep.restores.restored(
      in: input.snapshot, beside: input.baseline.valid(for: input.snapshot), at: upkeep.now)
    guard !restored.isEmpty else { return }
    input.restored = Set(restored.keys)
    for (setting, value) in restored {
      input.baseline.restate(setting, before: await live.restateMemory(of: setting, value))
    }
  }

  /// A setting that is set again and again is in somebody else's hands: say so, and give way.
  private func noteConflicts(_ settings: Set<Setting>, _ live: LiveServer) async {
    for setting in settings where upkeep.conflicts.noteReassertion(of: setting, at: upkeep.now) {
      let opponents = await live.snapshot.likelyOpponents
      configuration.logger?.debug("conflict", metadata: ["setting": "\(setting.object)"])
      emit(.conflict("\(setting.propertyName) of \(setting.object)", opponents: opponents))
    }
  }
}

extension Array where Element: Hashable {
  /// The elements in their order, each once.
  fileprivate func removingDuplicates() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
