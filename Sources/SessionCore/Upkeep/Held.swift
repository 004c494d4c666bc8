/// What a holder remembers of what it set.
package struct Held: Sendable {
  package var baseline: Baseline
  package var memory: HintMemory
  /// The levels that devices were given under this mode.
  package var charges: Charges
  /// The number of the stored mode.
  package var generation: Int

  package init(
    baseline: Baseline, memory: HintMemory, charges: Charges = Charges(), generation: Int = 0
  ) {
    self.baseline = baseline
    self.memory = memory
    self.charges = charges
    self.generation = generation
  }
}
