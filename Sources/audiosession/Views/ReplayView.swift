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

/// `replay --json`.
struct ReplayJSON: Encodable {
  /// One line of the trace.
  struct Entry: Encodable {
    let time: String
    let kind: String
    var text: String?
    var occasion: Occasion?
    var steps: [StepItem]?
    var unmet: [Unmet]?
    var error: SessionError?
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
        self.error = error
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

/// A trace for users.
enum ReplayView {
  static func lines(_ entries: [ReplayEntry], width: Int?) -> [Line] {
    let plans = entries.count { $0.isSame != nil }
    let different = entries.count { $0.isSame == false }
    let verdict: Line =
      different == 0
      ? Line("\(plans) plans, all equal to the recorded ones", .green)
      : Line("\(plans) plans, \(different) of them different from the recorded ones", .red)
    return entries.flatMap { lines($0, width) } + [.empty, verdict]
  }

  private static func lines(_ entry: ReplayEntry, _ width: Int?) -> [Line] {
    switch entry.remade {
    case .told(let words): return line(entry, "server", words, width)
    case .planned(let input, let plan):
      return line(entry, "plan", summary(input, plan.steps.count, entry), width)
        + StepsView.lines(plan.items, width: width)
    case .unplannable(let input, let error):
      return line(entry, "plan", summary(input, 0, entry) + ": \(error.message)", width)
    case .ran(let step, let outcome):
      let what = "\(step.setting.title) → \(step.to)"
      return line(entry, "step", "\(what): \(outcome)", width)
    case .event(let event):
      return EventView.rows(TimedEvent(time: entry.line.time, event: event), width: width)
    }
  }

  private static func summary(_ input: PlanInput, _ count: Int, _ entry: ReplayEntry) -> String {
    let difference = entry.isSame == false ? "; it was another plan" : ""
    return "\(input.occasion.rawValue), \(count) \(count == 1 ? "step" : "steps")\(difference)"
  }

  private static func line(
    _ entry: ReplayEntry, _ name: String, _ text: String, _ width: Int?
  ) -> [Line] {
    Layout.wrap(
      text, after: Span(LocalTime(entry.line.time).clock, .dim), "  ",
      Span(name).padded(to: 14), "  ", width: width)
  }
}
