/// What a holder remembers of what it set.
package struct Held: Sendable {
  package var baseline: Baseline
  /// The baseline in the store, where that is another one: it could not be written. Nil if the store has
  /// `baseline`.
  package var stored: Baseline?
  package var memory: HintMemory
  /// The levels that devices were given under this mode.
  package var charges = Charges()
  /// The number of the stored mode.
  package var generation = 0

  /// A run ended early: what it has done is not planned again.
  package mutating func note(_ run: Reconciler) {
    // What was never begun is not the session's.
    baseline = run.hasWritten ? run.stored : run.input.baseline
    stored = run.onDisk
  }
}
