import AudioSession

/// Properties with their verdicts, one per line; the value is below if it does not fit.
enum PropertiesView {
  /// - Parameters:
  ///   - preferredOnly: leaves out properties without a preference.
  ///   - showsGrants: shows a hint that was granted, and waits for a holder alone, as granted: after an
  ///     apply that is its success.
  ///   - showsReadings: shows what was read for each verdict.
  ///   - names: the names of devices for users; without them a preferred device is shown as the
  ///     profile names it, also where it is in use.
  static func lines(
    _ properties: [Property: PropertyReport], width: Int?, preferredOnly: Bool,
    showsGrants: Bool = false, showsReadings: Bool = false, names: DeviceNames = .none
  ) -> [Line] {
    let shown = Property.reported.filter { name in
      guard let report = properties[name] else { return false }
      // What is neither asked for nor there tells nothing.
      return report.verdict != .unset || !preferredOnly && (report.actual != nil || showsReadings)
    }
    let labels = shown.map { $0.row.label.count }.max() ?? 0
    let verdicts = shown.compactMap { properties[$0]?.verdict.word.count }.max() ?? 0
    return shown.flatMap { name -> [Line] in
      guard let report = properties[name] else { return [] }
      let isGranted =
        showsGrants && report.waitingFor == .holder && Hint.properties.contains(name)
        && report.grant != nil
      let verdict =
        isGranted ? Span("granted", .green) : Span(report.verdict.word, report.verdict.style)
      let head = [
        Span(name.row.label).padded(to: labels + 2), verdict.padded(to: verdicts + 2),
      ]
      return lines(report, isGranted: isGranted, name, head, width, names)
        + (showsReadings ? readings(report, width) : [])
    }
  }

  /// What was read for the verdict: `read: volume of alsa_input.pci is 80 % (source)`.
  private static func readings(_ report: PropertyReport, _ width: Int?) -> [Line] {
    let texts =
      report.readings.map { reading in
        "read: \(reading.property) of \(reading.object) is \(reading.text) "
          + "(\(Words.spaced(reading.answer.rawValue)))"
      } + (report.nothingToRead.map { ["nothing to read: \($0)"] } ?? [])
    return texts.flatMap { Layout.wrap($0, indent: 4, width: width, style: .dim) }
  }

  private static func lines(
    _ report: PropertyReport, isGranted: Bool, _ name: Property, _ head: [Span], _ width: Int?,
    _ names: DeviceNames
  ) -> [Line] {
    let style: Style = report.verdict == .unset ? .dim : .plain
    let isDevice = name == .preferredInput || name == .preferredOutput
    func text(_ value: StateValue?) -> String {
      let text = PropertyWords.text(value, of: name)
      return isDevice ? names[text] : text
    }
    let preferred = text(report.preferred)
    let actual = text(isGranted ? report.grant : report.actual)
    // A device that fits its list is in effect; the list matters if something is amiss.
    let isPlain = isDevice && report.verdict == .applied && !names.isEmpty
    let note =
      report.verdict == .unset || preferred == actual || isPlain ? nil : "preferred: " + preferred
    let line = Line(head + [Span(note.map { "\(actual)  (\($0))" } ?? actual, style)])
    var lines = [line]
    if let width, line.width > width {
      lines = [Line(head)] + Layout.wrap(actual, indent: 4, width: width, style: style)
      if let note { lines += Layout.wrap(note, indent: 4, width: width) }
    }
    if let reason = report.reason, !isGranted {
      lines += Layout.wrap(names.text(reason), indent: 4, width: width)
    }
    if let absent = report.absent {
      lines += Layout.wrap("the first choice, \(absent), is not there", indent: 4, width: width)
    }
    return lines
  }
}

extension PropertyReport {
  /// What the server granted of a hint: what was read.
  fileprivate var grant: StateValue? { readings.last { $0.answer == .grant }?.value }
}
