import AudioSession

/// Properties with their verdicts, one per line; the value is below if it does not fit.
enum PropertiesView {
  /// - Parameter wishedOnly: whether to omit properties without a preference.
  static func lines(
    _ properties: [Property: PropertyReport], width: Int?, wishedOnly: Bool
  ) -> [Line] {
    let shown = Property.reported.filter { name in
      properties[name].map { !wishedOnly || $0.verdict != .unset } ?? false
    }
    let labels = shown.map { $0.row.label.count }.max() ?? 0
    let verdicts = shown.compactMap { properties[$0]?.verdict.word.count }.max() ?? 0
    return shown.flatMap { name -> [Line] in
      guard let report = properties[name] else { return [] }
      let head = [
        Span(name.row.label).padded(to: labels + 2),
        Span(report.verdict.word, report.verdict.style).padded(to: verdicts + 2),
      ]
      return lines(report, name, head, width)
    }
  }

  private static func lines(
    _ report: PropertyReport, _ name: Property, _ head: [Span], _ width: Int?
  ) -> [Line] {
    let style: Style = report.verdict == .unset ? .dim : .plain
    let actual = PropertyWords.text(report.actual, of: name)
    let preferred = PropertyWords.text(report.preferred, of: name)
    let wish = report.verdict == .unset || preferred == actual ? nil : "wished: " + preferred
    let line = Line(head + [Span(wish.map { "\(actual)  (\($0))" } ?? actual, style)])
    var lines = [line]
    if let width, line.width > width {
      lines = [Line(head), ["    ", Span(Layout.shorten(actual, to: width - 4), style)]]
      if let wish { lines += Layout.wrap(wish, indent: 4, width: width) }
    }
    if let reason = report.reason {
      lines += Layout.wrap(reason, indent: 4, width: width, style: report.verdict.style)
    }
    return lines
  }
}
