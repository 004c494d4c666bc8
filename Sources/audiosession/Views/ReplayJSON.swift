import AudioSession

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
}

struct ReplayJSON: Encodable {
  /// One line of the trace.
  struct Entry: Encodable {
    let time: String
    let kind: String
    var text: String?
    var occasion: Occasion?
    var steps: [StepItem]?
    var unmet: [Unmet]?
    var error: ErrorBody?
    var same: Bool?

    init(_ entry: ReplayEntry) {
      time = entry.line.time
      same = entry.isSame
      switch entry.remade {
      case .told(let words): (kind, text) = ("told", words)
      case .planned(let input, let plan):
        kind = "plan"
        occasion = input.occasion
        steps = plan.items
        unmet = plan.unmet
      case .unplannable(let input, let error):
        kind = "plan"
        occasion = input.occasion
        self.error = ErrorBody(error)
      case .ran(let step, let outcome):
        (kind, text, steps) = ("step", outcome, [StepItem(step: step)])
      case .event(let event): (kind, text) = ("event", event.name)
      }
    }
  }

  let schema = 1
  let entries: [Entry]
  let plans: Int
  let different: Int

  init(_ entries: [ReplayEntry]) {
    self.entries = entries.map(Entry.init)
    plans = entries.count { $0.isSame != nil }
    different = entries.count { $0.isSame == false }
  }
}
