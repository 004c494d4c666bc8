import AudioSession
import JSONCoding

/// A step of a plan or of an apply, in lists and in JSON.
///
/// Its values in JSON have the units of the state: Hz, seconds, 1.0 = 100 %. A missing value is null: no
/// default, no remap, no device yet.
struct StepItem: Encodable {
  let step: Step
  /// The outcome; nil if the step is only planned.
  var outcome: StepOutcome?

  func encode(to encoder: any Encoder) throws {
    let members: JSONObject = [
      "phase": step.phase, "name": step.property, "object": step.setting.object,
      "property": step.setting.propertyName, "from": step.from?.stateValue,
      "to": step.to.stateValue, "deferred": step.isDeferred, "why": step.why,
    ]
    try members.adding("outcome", outcome?.name).adding("detail", outcome?.detail)
      .encode(to: encoder)
  }
}

extension Plan {
  var items: [StepItem] { steps.map { StepItem(step: $0) } }
}

extension ApplyReport {
  var items: [StepItem] { steps.map { StepItem(step: $0.step, outcome: $0.outcome) } }

  /// Whether the server refused a step.
  var isRefused: Bool { steps.contains { if case .refused = $0.outcome { true } else { false } } }

  /// The exit status of a restoration that is not complete, or not recorded; nil if all is well.
  var revertStatus: Status? {
    if isRefused { return .refused }
    return isUnrecorded == true || lost != nil ? .storeFailed : nil
  }
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
