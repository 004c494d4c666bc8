package import PulseTypes

/// A change that was asked for: a mode takes effect, or ends. Decides what is undone when it fails, and
/// what the store has afterwards.
///
/// Pure: the caller runs the loops and writes the files. `run` saves the baseline before its first
/// step; after it, the caller stores `outcome`; if it fails, the caller runs `undoing(in:)` and then
/// stores `undone(by:)`.
package struct ModeChange: Sendable {
  package enum Goal: Sendable, Hashable {
    case inEffect
    /// - Parameter forgets: whether what cannot be restored now is forgotten.
    case ended(forgets: Bool)
  }

  /// The loop that makes the change.
  package var run: Reconciler
  private let formerBaseline: Baseline
  /// Whether a mode was in effect before, also one that an earlier process applied.
  package let wasInEffect: Bool
  private let goal: Goal
  private let tracer: (@Sendable (TraceEntry) -> Void)?

  /// - Parameter onDisk: the baseline in the store, where it is not that of the input.
  package init(
    _ input: PlanInput, to goal: Goal, wasInEffect: Bool, onDisk: Baseline? = nil,
    tracer: (@Sendable (TraceEntry) -> Void)? = nil
  ) {
    var input = input
    if goal == .inEffect, !wasInEffect {
      // A setting of an earlier mode that the user has changed since is not a value from before
      // this mode.
      input.baseline = input.baseline.unrestored(in: input.snapshot)
    }
    var isRestoring = false
    if case .ended = goal { isRestoring = true }
    (self.goal, self.wasInEffect, self.tracer) = (goal, wasInEffect, tracer)
    formerBaseline = input.baseline
    run = Reconciler(input, onDisk: onDisk, isRestoring: isRestoring, tracer: tracer)
  }

  /// The baseline from before the change, with what the run found that streams have inherited of the
  /// session: that is known once.
  package var before: Baseline {
    var baseline = formerBaseline
    baseline.entries += run.inheritedValues.entries.filter { !baseline.has($0) }
    return baseline
  }

  /// The baseline after the completed run.
  package var outcome: Baseline {
    goal == .ended(forgets: true)
      ? outcome(of: Baseline(), refused: [])
      : outcome(of: run.stored, refused: Set(run.input.refusals.keys))
  }

  private func outcome(of former: Baseline, refused: Set<Setting>) -> Baseline {
    var baseline = former
    baseline.settle(
      in: run.input.snapshot, claims: Set(run.lastPlan.claims), written: run.written)
    if case .ended = goal {
      let now = run.input.snapshot
      baseline = baseline.pending(in: now, besides: run.arrivals(in: now), refused: refused)
    }
    return baseline
  }

  /// What a mode that ended had set, could not be restored, and is forgotten on request; for users, a line
  /// an object.
  package var forgotten: [String] {
    guard goal == .ended(forgets: true) else { return [] }
    let kept = outcome.entries
    let dropped = outcome(of: run.stored, refused: Set(run.input.refusals.keys))
    let settings = dropped.entries.filter { !kept.contains($0) }.map(\.setting)
    let lines = settings.map(\.object).unique.map { object in
      let names = settings.filter { $0.object == object }
        .map { $0.restoredNoun(in: run.input.snapshot) ?? $0.propertyName }.unique
      return "forgotten: \(Words.list(names))" + (object == "server" ? "" : " of \(object)")
    }
    return lines + [dropped.newerNote.map { "forgotten: \($0)" }].compactMap(\.self)
  }

  /// What a mode that ended, or was replaced, left as it set it because the server refused to restore it,
  /// for users.
  package var refused: [String] {
    guard goal != .ended(forgets: true) else { return [] }
    let kept = Set(outcome.entries.map(\.setting))
    return run.results.compactMap { result in
      guard case .refused(let reason) = result.outcome, kept.contains(result.step.setting),
        goal != .inEffect || run.onlyRestores(result.step)
      else { return nil }
      return
        "\(result.step.setting.title) could not be set to \(result.step.to) (\(reason)): it is restored "
        + "by the next \(goal == .inEffect ? "'apply' or " : "")'revert'"
    }.unique
  }

  /// The baseline after the failed run was undone: the one from before it. What could not be undone,
  /// because its device went away meanwhile, is kept until the device returns, and what the server
  /// refused until the next revert; so is the level of a device that returned meanwhile, which PipeWire's
  /// session manager may still replace.
  ///
  /// - Parameter back: the loop that undid it.
  package func undone(by back: Reconciler) -> Baseline {
    var result = before
    let now = back.input.snapshot
    // Also one that returned between the two loops.
    let left = run.undoable.pending(
      in: now, besides: run.arrivals(in: now), refused: Set(back.input.refusals.keys))
    for entry in left.entries {
      if result.has(entry) {
        result.expect([entry.ours].compactMap(\.self) + (entry.inFlight ?? []), of: entry)
      } else {
        result.entries.append(entry)
      }
    }
    return result
  }

  /// What could not be undone: `away` with a device or port that is not there now, and what is blocked or
  /// was refused.
  ///
  /// - Parameter back: the loop that undid the failed run.
  package func left(by back: Reconciler) -> (away: Set<Setting>, blocked: Set<Setting>) {
    let (now, undoable) = (back.input.snapshot, run.undoable)
    let refused = Set(back.input.refusals.keys.filter { !$0.isHint })
    // The level of a port that was restored before another port was chosen is not visible any more.
    let done = back.attempted.subtracting(refused)
    let entries = undoable.pending(in: now, refused: refused).entries.filter {
      !done.contains($0.setting)
    }
    let away = Set(entries.filter { undoable.absence(of: $0, in: now) != nil }.map(\.setting))
    return (away, Set(entries.map(\.setting)).union(refused).subtracting(away))
  }

  /// The loop that undoes the failed run; nil if the server was not asked for any change.
  package func undoing(in snapshot: ServerSnapshot) -> Reconciler? {
    guard run.hasWritten else { return nil }
    var input = PlanInput(mode: AudioMode(), snapshot: snapshot)
    input.baseline = run.undoable
    input.baseline.serverCookie = snapshot.server.cookie
    input.memory = run.input.memory
    input.isUndoing = true
    return Reconciler(input, undoing: run.stored, onDisk: run.onDisk, tracer: tracer)
  }
}
