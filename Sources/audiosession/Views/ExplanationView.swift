import AudioSession

/// Why a property has its value, for users: its line of the state, the causes, the other
/// candidates.
enum ExplanationView {
  static func lines(_ explanation: Explanation, width: Int?, names: DeviceNames = .none) -> [Line] {
    var lines = PropertiesView.lines(
      [explanation.property: explanation.report], width: width, preferredOnly: false,
      names: names)
    if lines.isEmpty { lines = [Line("\(explanation.property.row.label)  no value")] }
    if !explanation.causes.isEmpty { lines += [.empty] }
    for cause in explanation.causes {
      lines += Layout.wrap(LocalTime.text(names.text(cause)), after: Span("- ", .dim), width: width)
    }
    if !explanation.choices.isEmpty { lines += [.empty] }
    return lines + explanation.choices.flatMap { Self.lines($0, width, names) }
  }

  private static func lines(
    _ choice: Explanation.Choice, _ width: Int?, _ names: DeviceNames
  ) -> [Line] {
    let mark = Span(choice.isChosen ? "* " : "  ", .green)
    let priority = choice.priority.map { ", priority \($0)" } ?? ""
    let style: Style = choice.isChosen ? .green : .plain
    return Layout.wrap(names[choice.name], after: mark, width: width, style: style)
      + Layout.wrap(names.text(choice.reason) + priority, indent: 4, width: width, style: .dim)
  }
}
