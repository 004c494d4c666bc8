package import PulseTypes

extension ServerSnapshot {
  /// Whether a step's postcondition holds.
  package func satisfies(_ step: Step) -> Bool { step.setting.kind.isMet(step.to, in: self) }
}
