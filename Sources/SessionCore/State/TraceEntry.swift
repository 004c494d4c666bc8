/// What a session saw, decided and did: enough to make each of its decisions again.
///
/// A plan is a pure function of its input, so a trace is a report that can be run: `replay` makes
/// every plan anew and compares.
public enum TraceEntry: Sendable, Hashable, Codable {
  /// The server told of a change, in its words.
  case told(String)
  /// A plan, and everything that it was made from.
  case planned(PlanInput, Plan)
  /// There is no plan for this input.
  case unplannable(PlanInput, SessionError)
  /// A step was run; the outcome in words.
  case ran(Step, String)
  /// The session told its owner something.
  case event(SessionEvent)
}

/// A line of a trace.
public struct TraceLine: Sendable, Hashable, Codable {
  /// The format's version.
  public var schema = 1
  /// The time as ISO 8601 has it.
  public var time: String
  /// What happened.
  public var entry: TraceEntry

  /// Makes a line.
  public init(time: String, entry: TraceEntry) {
    self.time = time
    self.entry = entry
  }
}

extension TraceEntry {
  /// Makes the plan of an input, as an entry.
  public static func planning(_ input: PlanInput) -> TraceEntry {
    do throws(SessionError) {
      return .planned(input, try Plan.make(input))
    } catch {
      return .unplannable(input, error)
    }
  }

  /// The entry with its plan made anew by this version; itself where it has none.
  public var remade: TraceEntry {
    switch self {
    case .planned(let input, _), .unplannable(let input, _): .planning(input)
    case .told, .ran, .event: self
    }
  }
}
