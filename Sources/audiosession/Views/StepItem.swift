import AudioSession

/// A step of a plan or of an apply, in lists and in JSON.
///
/// Its values in JSON have the units of the state: Hz, seconds, 1.0 = 100 %. A missing value is null: no
/// default, no remap, no device yet.
struct StepItem: Encodable {
  let step: Step
  /// The outcome; nil if the step is only planned.
  var outcome: StepOutcome?

  private enum Key: String, CodingKey {
    case phase, name, object, property, from, to, deferred, why, outcome, detail
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(step.phase, forKey: .phase)
    try values.encode(step.property, forKey: .name)
    try values.encode(step.setting.object, forKey: .object)
    try values.encode(step.setting.propertyName, forKey: .property)
    try values.encode(step.from?.stateValue, forKey: .from)
    try values.encode(step.to.stateValue, forKey: .to)
    try values.encode(step.isDeferred, forKey: .deferred)
    try values.encode(step.why, forKey: .why)
    guard let outcome else { return }
    try values.encode(outcome.name, forKey: .outcome)
    try values.encodeIfPresent(outcome.detail, forKey: .detail)
  }
}

extension Plan {
  var items: [StepItem] { steps.map { StepItem(step: $0) } }
}

extension ApplyReport {
  var items: [StepItem] { steps.map { StepItem(step: $0.step, outcome: $0.outcome) } }
}

extension StepOutcome {
  /// The name in the JSON.
  var name: String {
    switch self {
    case .applied: "applied"
    case .alreadySo: "alreadySo"
    case .notGranted: "notGranted"
    case .refused: "refused"
    case .dropped: "dropped"
    }
  }

  /// The value that the server granted or reported instead.
  var detail: String? {
    switch self {
    case .notGranted(let text), .refused(let text): text
    case .applied, .alreadySo, .dropped: nil
    }
  }
}
