/// One step of a run, with its outcome.
///
/// A run makes results from what it read on a server; a result that was decoded from JSON is a plain
/// value.
public struct StepResult: Sendable, Hashable, Codable {
  /// The step as planned.
  public let step: Step
  /// The outcome.
  public let outcome: StepOutcome
  /// What was read after the step; nil if the setting or its value is unknown.
  public let reading: Reading?

  private init(_ step: Step, _ outcome: StepOutcome, _ reading: Reading? = nil) {
    self.step = step
    self.outcome = outcome
    self.reading = reading
  }

  /// The step's value was read.
  static func applied(_ step: Step, _ proof: Proof, wasSo: Bool = false) -> StepResult {
    StepResult(step, wasSo ? .alreadySo : .applied, proof.readings.last)
  }

  static func notGranted(_ step: Step, _ text: String, _ readings: [Reading]) -> StepResult {
    StepResult(step, .notGranted(text), readings.last)
  }

  static func refused(_ step: Step, _ message: String) -> StepResult {
    StepResult(step, .refused(message))
  }

  static func dropped(_ step: Step) -> StepResult { StepResult(step, .dropped) }

  /// The result as that of the planned step; a step that ran in its place, with another object or
  /// value, stays what was read.
  func planned(as step: Step) -> StepResult {
    let isSame = step.setting == self.step.setting && step.to == self.step.to
    return StepResult(isSame ? step : self.step, outcome, reading)
  }
}
