import AudioSession
import JSONCoding

/// A line of a trace, with the plan of this version.
struct ReplayEntry {
  let line: TraceLine
  let remade: TraceEntry

  init(_ line: TraceLine) {
    self.line = line
    remade = line.entry.remade
  }

  /// Whether the plan is the same as in the trace; nil for other lines.
  var isSame: Bool? {
    switch line.entry {
    case .planned, .unplannable: remade == line.entry
    case .told, .ran, .event: nil
    }
  }

  var json: JSONObject {
    let contents: JSONObject =
      switch remade {
      case .told(let words): ["kind": "told", "text": words]
      case .planned(let input, let plan):
        [
          "kind": "plan", "occasion": input.occasion, "steps": plan.items, "unmet": plan.unmet,
          "same": isSame,
        ]
      case .unplannable(let input, let error):
        ["kind": "plan", "occasion": input.occasion, "error": ErrorBody(error), "same": isSame]
      case .ran(let step, let outcome):
        ["kind": "step", "text": outcome, "steps": [StepItem(step: step)]]
      case .event(let event): ["kind": "event", "text": event.name]
      }
    return ["time": line.time] + contents
  }
}

extension [ReplayEntry] {
  var plans: Int { count(where: { $0.isSame != nil }) }
  /// The plans that are others than in the trace.
  var different: Int { count(where: { $0.isSame == false }) }
}
