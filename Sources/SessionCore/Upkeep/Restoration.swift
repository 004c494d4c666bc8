/// Restores what was away when a mode ended. Pure: the caller runs the loop.
package struct Restoration: Sendable {
  package var run: Reconciler
  fileprivate let known: Baseline
  fileprivate let unrestored: Baseline
  fileprivate let start: Duration
}

extension UpkeepRules {
  /// Begins to restore, while no mode is in effect, what was away when the last one ended.
  package mutating func restoreReturned(
    _ input: PlanInput, at now: Duration, tracer: (@Sendable (TraceEntry) -> Void)? = nil
  ) -> Restoration {
    var (input, known) = (input, input.baseline)
    input.baseline = returns.unrestored(known, in: input.snapshot, at: now)
    input.isExplicit = false
    if let restorationMemory { input.memory = restorationMemory }
    // What was refused may work now.
    input.refusals = [:]
    return Restoration(
      run: Reconciler(input, isRestoring: true, tracer: tracer), known: known,
      unrestored: input.baseline, start: now)
  }

  /// Everything that has returned was restored.
  ///
  /// - Parameter write: stores the baseline; called if the store does not have it.
  package mutating func end<Lock, Mode>(
    _ restoration: Restoration, _ life: inout SessionLife<Lock, Mode>,
    write: (Baseline) throws(SessionError) -> Void
  ) throws(SessionError) {
    refused.note(Set(restoration.run.input.refusals.keys), at: restoration.start)
    // A value that is restored now may not last on PipeWire, so the stored entry stays until it
    // does.
    let left = returns.unrestored(
      restoration.unrestored, in: restoration.run.input.snapshot, at: restoration.start)
    var baseline = restoration.known
    baseline.entries.removeAll { !left.has($0) }
    // A hint that was not granted must not be requested again at the next look.
    life.held?.memory = restoration.run.input.memory
    restorationMemory = life.held == nil ? restoration.run.input.memory : nil
    // Until it is written: the next look tries again.
    let stored = life.held?.stored ?? restoration.known
    life.held?.stored = baseline == stored ? nil : stored
    life.noteUnrestored(baseline)
    guard baseline != stored else { return }
    try write(baseline)
    life.held?.stored = nil
    life.noteUnrestored(baseline)
  }
}
