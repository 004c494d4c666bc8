/// What a session saw, decided and did: enough to repeat each of its decisions.
///
/// A plan is a pure function of its input, so a trace can be replayed: `replay` makes every plan
/// again and compares.
package enum TraceEntry: Sendable, Hashable, Codable {
  /// The server reported a change, in its words.
  case told(String)
  case planned(PlanInput, Plan)
  /// An input for which there is no plan.
  case unplannable(PlanInput, SessionError)
  /// A step was run; the outcome as text.
  case ran(Step, String)
  case event(SessionEvent)
}

extension TraceEntry {
  /// The plan of an input, or why there is none.
  init(_ input: PlanInput, _ plan: Result<Plan, SessionError>) {
    switch plan {
    case .success(let plan): self = .planned(input, plan)
    case .failure(let error): self = .unplannable(input, error)
    }
  }

  /// The entry with its plan made again by this version; unchanged if it has none.
  package var remade: TraceEntry {
    switch self {
    case .planned(let input, _), .unplannable(let input, _):
      TraceEntry(input, Result { () throws(SessionError) in try Plan.make(input) })
    case .told, .ran, .event: self
    }
  }
}
