import AudioSession

/// The findings for users: what was found, why it matters, and the remedy.
enum DiagnosisView {
  static func lines(_ diagnosis: Diagnosis, width: Int?, names: DeviceNames = .none) -> [Line] {
    var lines = diagnosis.findings.flatMap { Self.lines($0, width, names) + [.empty] }
    let skipped = diagnosis.skipped.isEmpty ? "" : " (\(diagnosis.skipped.count) not made)"
    // Notes are no findings.
    let notes = diagnosis.findings.count { $0.severity == .note }
    let findings = diagnosis.findings.count - notes
    let result =
      (findings == 0 ? "no findings" : Words.count(findings, "finding"))
      + (notes == 0 ? "" : ", " + Words.count(notes, "note"))
    lines += Layout.wrap(
      "\(diagnosis.checked.count) checks\(skipped), \(result)", indent: 0, width: width)
    for group in diagnosis.notMade {
      let names = group.checks.map { Words.spaced($0.rawValue) }.joined(separator: ", ")
      lines += Layout.wrap("not made: \(names): \(group.reason)", indent: 2, width: width)
    }
    return lines
  }

  private static func lines(_ finding: Finding, _ width: Int?, _ names: DeviceNames) -> [Line] {
    let kind = Span(finding.severity.rawValue + "  ", finding.severity.style)
    let name = finding.object.map(names.text) ?? Words.spaced(finding.code.rawValue)
    var lines = Layout.wrap(name, after: kind, width: width, style: .bold)
    lines += Layout.wrap(names.text(finding.message), indent: 2, width: width)
    let why = LocalTime.text(names.text(finding.why))
    lines += Layout.wrap(why, indent: 2, width: width, style: .dim)
    lines += Layout.wrap(names.text(finding.remedy.text), indent: 2, width: width)
    // For copying, so it is never wrapped or shortened.
    if let command = finding.remedy.command { lines.append(["    ", Span(command, .green)]) }
    if let file = finding.remedy.file { lines.append(["    ", Span(file)]) }
    if let line = finding.remedy.line { lines.append(["    ", Span(line, .green)]) }
    return lines
  }
}

extension Finding.Severity {
  fileprivate var style: Style {
    switch self {
    case .problem: .red
    case .warning: .amber
    case .note: .dim
    }
  }
}
