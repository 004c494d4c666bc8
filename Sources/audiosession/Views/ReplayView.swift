import AudioSession

/// A trace for users.
enum ReplayView {
  static func lines(_ entries: [ReplayEntry], width: Int?) -> [Line] {
    let (plans, different) = (entries.plans, entries.different)
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
    return "\(input.occasion.rawValue), \(Words.count(count, "step"))\(difference)"
  }

  private static func line(
    _ entry: ReplayEntry, _ name: String, _ text: String, _ width: Int?
  ) -> [Line] {
    EventView.row(entry.line.time, Span(name), text, width: width)
  }
}
