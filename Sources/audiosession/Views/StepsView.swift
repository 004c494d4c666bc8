import AudioSession

/// The steps of a plan or of an apply, under the titles of their phases.
enum StepsView {
  /// - Parameter showsReasons: whether to add the reason for each step.
  static func lines(
    _ rows: [StepItem], width: Int?, showsReasons: Bool = false, names: DeviceNames = .none
  ) -> [Line] {
    let rows = Phase.allCases.flatMap { phase in rows.filter { $0.step.phase == phase } }
    let aligned = Layout.columns(rows.map { columns($0, names) }, indent: 3)
    let isWide = width.map { width in aligned.allSatisfy { $0.width <= width } } ?? true
    var lines: [Line] = []
    var phase: Phase?
    for (row, line) in zip(rows, aligned) {
      if row.step.phase != phase {
        lines.append(Line(row.step.phase.title, .bold))
        phase = row.step.phase
      }
      lines += isWide ? [line] : stacked(row, width, names)
      guard showsReasons, !row.step.why.isEmpty else { continue }
      lines += Layout.wrap(names.text(row.step.why), indent: 5, width: width, style: .dim)
    }
    return lines
  }

  private static func columns(_ row: StepItem, _ names: DeviceNames) -> [Span] {
    [
      Span(names.text(row.step.setting.object) + names.program(of: row.step.setting)),
      Span(row.step.setting.propertyName),
      Span(words(change(row.step, names))), mark(row),
    ]
  }

  /// One step on a narrow screen: the setting, then the change, on two lines if one is too short.
  private static func stacked(_ row: StepItem, _ width: Int?, _ names: DeviceNames) -> [Line] {
    let (from, to) = change(row.step, names)
    let mark = mark(row)
    let title = names.text(row.step.setting.title) + names.program(of: row.step.setting)
    let head = Layout.wrap(title, indent: 3, width: width)
    let change = Span(words((from, to)))
    guard let width, 5 + change.width + 2 + mark.width > width else {
      return head + [["     ", change, "  ", mark]]
    }
    var lines =
      head + Layout.wrap(from, indent: 5, width: width)
      + Layout.wrap("→ " + to, indent: 5, width: width)
    if mark.width > 0 {
      lines += Layout.wrap(mark.text, indent: 5, width: width, style: mark.style)
    }
    return lines
  }

  /// A step may set again what is there already: a server may not report all that it keeps.
  private static func words(_ change: (from: String, to: String)) -> String {
    change.from == change.to ? change.to : "\(change.from) → \(change.to)"
  }

  /// The old and the new value; of two remaps on different devices, with the devices.
  private static func change(_ step: Step, _ names: DeviceNames) -> (from: String, to: String) {
    func text(_ value: SettingValue) -> String { names.text(Self.text(value)) }
    if case .remap(let before) = step.from, case .remap(let after) = step.to,
      before.master != after.master
    {
      return (
        names.text(before.master) + " " + text(.remap(before)),
        names.text(after.master) + " " + text(step.to)
      )
    }
    return (step.from.map(text) ?? "…", text(step.to))
  }

  private static func text(_ value: SettingValue) -> String {
    guard case .remap(let spec) = value else { return value.description }
    return spec.masterMap == .mono ? "all channels mixed" : spec.masterMap.description
  }

  private static func mark(_ row: StepItem) -> Span {
    switch row.outcome {
    case nil: row.step.isDeferred ? Span("(once it is there)", .dim) : ""
    case .applied: Span("applied", .green)
    case .alreadySo: Span("already so", .green)
    case .notGranted(let value): Span("not granted: \(value)", .amber)
    case .refused(let words): Span("refused: \(words)", .red)
    case .dropped: Span("not needed", .dim)
    }
  }
}
