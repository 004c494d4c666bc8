/// A look of a holder: its mode is applied again where the server differs from it, and what it
/// remembers and stores afterwards.
///
/// Pure: the caller runs the loop and writes the baseline if `isNew`. Time is a parameter.
package struct Reapply: Sendable {
  /// The loop of this look.
  package var run: Reconciler
  /// The levels that devices were given.
  var charges: Charges
  let occasion: Occasion
  private let start: Duration

  /// - Parameters:
  ///   - input: the mode, the server, and the values that the session manager restored.
  ///   - onDisk: the baseline in the store, before these values.
  ///   - charges: the levels that devices were given under this mode.
  ///   - seen: what the last run left as the mode asks.
  init(
    _ input: PlanInput, _ occasion: Occasion, onDisk: Baseline, charges: Charges,
    seen: ForeignChanges, conflicts: ConflictDetector, at now: Duration,
    tracer: (@Sendable (TraceEntry) -> Void)? = nil
  ) {
    var input = input
    var charges = charges
    input.occasion = occasion
    // A step that was refused may work now; an echo canceller is tried again when a program records.
    let isCancellerIdle =
      occasion != .reset && input.refusals[.echoCanceller] != nil
      && PlanContext(input).leavesCancellerIdle
    input.refusals = input.refusals.filter { setting, _ in
      input.isOnlyForOthers == true && !setting.isOfOthers
        || isCancellerIdle && setting == .echoCanceller
    }
    // Settings in a conflict are left alone.
    input.yielded = conflicts.yielded(at: now)
    charges.follow(input.snapshot, at: now)
    // A restarted server has its own levels for every device.
    if occasion == .reset { charges = Charges() }
    input.charges = charges
    // Missing devices are awaited, and hints too; everything else is maintained in the meantime.
    input.mode.onFailure = .bestEffort
    input.mode.strict = nil
    (self.charges, self.occasion, start) = (charges, occasion, now)
    run = Reconciler(input, onDisk: onDisk, seen: seen, tracer: tracer)
  }

  /// Whether it looks at other programs' streams alone.
  var isOnlyForOthers: Bool { run.input.isOnlyForOthers == true }

  /// Ends a look that found or set everything as the mode asks.
  ///
  /// - Returns: the baseline, and whether the store does not have it yet.
  mutating func end() -> (baseline: Baseline, isNew: Bool) {
    // A level that was restored, because its device is no longer used, is set again when it is.
    charges.forget(run.attempted.subtracting(run.charged))
    charges.take(
      run.charged, in: run.input.snapshot, written: run.attempted, arrival: start)
    var baseline = run.input.baseline
    // A stream that ended returns as another one.
    baseline.entries.removeAll {
      $0.setting.isOfStream && run.input.snapshot.value(of: $0.setting) == nil
    }
    if run.firstPlan?.isEmpty == false {
      baseline = run.stored
      // Entries of an earlier mode are kept until they are restored, those of this one as long as
      // it lasts.
      baseline.settle(in: run.input.snapshot, claims: nil, written: run.written)
      // What a device that is no longer used has back is a person's to change until it is used again.
      let (claims, now) = (Set(run.lastPlan.claims), run.input.snapshot)
      baseline.entries.removeAll { entry in
        run.written.contains(entry.setting) && !claims.contains(entry.setting)
          && entry.isShown(in: now) && now.value(of: entry.setting) == entry.before
      }
    }
    return (baseline, !baseline.isSameInStore(as: run.onDisk))
  }
}
