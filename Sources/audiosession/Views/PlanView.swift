import AudioSession

enum PlanView {
  static func lines(
    _ plan: Plan, width: Int?, showsReasons: Bool, names: DeviceNames = .none
  ) -> [Line] {
    let steps = StepsView.lines(plan.items, width: width, showsReasons: showsReasons, names: names)
    return (steps.isEmpty ? [Line("nothing to do")] : steps)
      + unmet(plan.unmet, width: width, names: names)
      + left(plan.left, width: width, names: names)
  }

  /// The preferences that will not be met, one property a line with its reason below.
  static func unmet(_ unmet: [Unmet], width: Int?, names: DeviceNames = .none) -> [Line] {
    guard !unmet.isEmpty else { return [] }
    return [.empty, Line("not met", .bold)]
      + unmet.flatMap { entry -> [Line] in
        let verdict = Span(entry.verdict.rawValue, entry.verdict.style)
        return [["   ", Span(entry.property.row.label), "  ", verdict]]
          + Layout.wrap(names.text(entry.reason), indent: 5, width: width)
      }
  }

  /// Settings that another program has changed, which a revert leaves alone.
  static func left(_ left: [String], width: Int?, names: DeviceNames = .none) -> [Line] {
    guard !left.isEmpty else { return [] }
    return [.empty, Line("left as it is", .bold)]
      + left.flatMap { Layout.wrap(names.text($0), indent: 3, width: width) }
  }
}
