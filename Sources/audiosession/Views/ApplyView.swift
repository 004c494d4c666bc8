import AudioSession

/// The result of an apply, for users.
enum ApplyView {
  static func lines(
    _ report: ApplyReport, on server: String? = nil, width: Int?, names: DeviceNames = .none
  ) -> [Line] {
    let steps = StepsView.lines(report.items, width: width, names: names)
    let properties = PropertiesView.lines(
      report.state.properties, width: width, preferredOnly: true, showsGrants: true,
      names: names)
    // A holder that was started meanwhile has done what this report does not list.
    let nothing = report.state.holder == nil ? [Line("nothing to do")] : []
    return (steps.isEmpty ? nothing : steps)
      + (properties.isEmpty ? [] : [.empty] + properties)
      + PlanView.left(report.left, width: width, names: names) + holder(report.state, server, width)
  }

  /// Who maintains it from now on, and how that ends.
  private static func holder(_ state: SessionState, _ server: String?, _ width: Int?) -> [Line] {
    guard let holder = state.holder else { return [] }
    let stop = Words.command("audiosession stop", on: server)
    let end = holder.isCommand ? "; to end it: \(stop)" : ", a program of its own"
    return [.empty]
      + Layout.sentence("maintained by \(holder.title)\(end)", indent: 0, width: width, style: .dim)
  }
}
