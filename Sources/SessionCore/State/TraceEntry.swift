/// What a session saw, decided and did: enough to repeat each of its decisions.
///
/// A plan is a pure function of its input, so a trace can be replayed: `replay` makes every plan
/// again and compares.
package enum TraceEntry: Sendable, Hashable, Codable {
  /// The server reported a change, in its words.
  case told(String)
  /// A plan with its complete input.
  case planned(PlanInput, Plan)
  /// An input for which there is no plan.
  case unplannable(PlanInput, SessionError)
  /// A step was run; the outcome as text.
  case ran(Step, String)
  /// The session emitted an event.
  case event(SessionEvent)
}

/// A line of a trace.
package struct TraceLine: Sendable, Hashable, Codable {
  /// The format's version.
  package var schema = 1
  /// The time in ISO 8601.
  package var time: String
  /// What happened.
  package var entry: TraceEntry

  /// Makes a line.
  package init(time: String, entry: TraceEntry) {
    self.time = time
    self.entry = entry
  }
}

extension TraceEntry {
  /// Makes the plan of an input, as an entry.
  package static func planning(_ input: PlanInput) -> TraceEntry {
    do throws(SessionError) {
      return .planned(input, try Plan.make(input))
    } catch {
      return .unplannable(input, error)
    }
  }

  /// The entry with its plan made again by this version; unchanged if it has none.
  package var remade: TraceEntry {
    switch self {
    case .planned(let input, _), .unplannable(let input, _): .planning(input)
    case .told, .ran, .event: self
    }
  }
}
