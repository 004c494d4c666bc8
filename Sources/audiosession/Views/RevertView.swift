import AudioSession

/// The result of a revert, for users.
enum RevertView {
  static func lines(_ report: ApplyReport, width: Int?, names: DeviceNames = .none) -> [Line] {
    let forgotten = report.forgotten ?? []
    let left = report.left.filter { $0 != report.lost && !forgotten.contains($0) }
    return steps(report, width: width, names: names)
      + forgotten.flatMap { Layout.wrap(names.text($0), indent: 0, width: width) }
      + PlanView.left(left, width: width, names: names)
  }

  /// What was restored, without what was left.
  static func steps(_ report: ApplyReport, width: Int?, names: DeviceNames = .none) -> [Line] {
    let steps = StepsView.lines(report.items, width: width, names: names)
    if let lost = report.lost { return steps + Layout.wrap(lost, indent: 0, width: width) }
    let none = report.left.isEmpty ? "nothing to restore" : "nothing to restore now"
    return steps.isEmpty ? [Line(none)] : steps
  }
}
