import AudioSession
import PulseTypes

/// The preferred, reported and measured values, for users.
enum VerifyView {
  /// - Parameter restored: what was restored at the end; nil if nothing was to be.
  static func lines(
    _ report: VerifyReport, restored: [Line]? = nil, width: Int?, names: DeviceNames = .none
  ) -> [Line] {
    let head = Layout.wrap("recorded  " + report.heard.name, indent: 0, width: width) + [.empty]
    let heading = ["", "preferred", "reported", "measured", ""].map { Span($0, .dim) }
    let rows = report.checks.map { check in
      [
        Span(PropertyWords.label(check.name)), text(check.wanted, check),
        text(check.claimed, check),
        measured(check), mark(check),
      ]
    }
    var table = Layout.columns([heading] + rows)
    if let width, table.contains(where: { $0.width > width }) {
      table = stacked(report.checks, width)
    }
    let end = restored.map { [.empty, Line("restored", .bold)] + $0 } ?? []
    return head + table + notes(report, width, names) + end + [.empty]
      + verdict(report, width, names)
  }

  /// One line to read before a show: what works, or what to do first.
  private static func verdict(
    _ report: VerifyReport, _ width: Int?, _ names: DeviceNames
  ) -> [Line] {
    if let fault = worst(report) {
      let isProperty = Property(rawValue: fault.name) != nil || fault.detail == nil
      let label = isProperty ? PropertyWords.label(fault.name) + ": " : ""
      let text = names.text(label + (fault.detail ?? "not as preferred, see above"))
      let mark = Span("Not ready: ", .red)
      let lines = Layout.wrap(text, after: mark, width: width)
      guard lines.count > 1, let (sentence, command) = Layout.command(in: text) else {
        return lines
      }
      return Layout.wrap(sentence, after: mark, width: width) + [["  ", Span(command)]]
    }
    var facts = [report.heard.name]
    for (property, unit) in [(Property.sampleRate, 1000.0), (.ioBufferDuration, 0.001)] {
      guard let check = report.checks.first(where: { $0.name == property.rawValue }),
        case .number(let value) = check.claimed ?? check.measured
      else { continue }
      let number = (value / unit * 10).rounded() / 10
      let text = number == number.rounded() ? "\(Int(saturating: number))" : "\(number)"
      facts.append(text + (property == .sampleRate ? " kHz" : " ms"))
    }
    if let peak = report.heard.peak { facts += ["\(Int(saturating: peak)) dB", "no clipping"] }
    return Layout.wrap(
      facts.joined(separator: ", "), after: Span("Ready: ", .green), width: width)
  }

  /// The fault that the last line has.
  private static func worst(_ report: VerifyReport) -> VerifyReport.Check? {
    let faults = report.checks.filter { !$0.isOK }
    // Without sound the rest matters less.
    return faults.first { $0.name == "silence" } ?? faults.first
  }

  /// Mark, name and measured value; below it the preferred and the reported value.
  private static func stacked(_ checks: [VerifyReport.Check], _ width: Int) -> [Line] {
    let labels = checks.map { PropertyWords.label($0.name).count }.max() ?? 0
    return checks.flatMap { check -> [Line] in
      let room = max(4, width - 11 - labels)
      let value = measured(check)
      let fits = value.width <= room
      let head: Line = [
        mark(check).padded(to: 9), Span(PropertyWords.label(check.name)).padded(to: labels + 2),
        fits ? value : "",
      ]
      let below = fits ? [] : Layout.wrap(value.text, indent: 11, width: width)
      let facts = [("preferred", check.wanted), ("reported", check.claimed)].compactMap { fact in
        fact.1.map { "\(fact.0) \(text($0, check).text)" }
      }
      let rest = facts.joined(separator: ", ")
      return [head] + below + (facts.isEmpty ? [] : Layout.wrap(rest, indent: 11, width: width))
    }
  }

  /// Why something is not as preferred, except the worst, which the last line has; and what a check that
  /// passes does not show.
  private static func notes(_ report: VerifyReport, _ width: Int?, _ names: DeviceNames) -> [Line] {
    let worst = worst(report)?.name
    let notes = report.checks.filter { check in
      check.name != worst && (!check.isOK || check.measured == nil || check.name == "roundTrip")
    }.compactMap { check in
      check.detail.map { "\(PropertyWords.label(check.name)): \($0)" }
    }
    return notes.isEmpty
      ? [] : [.empty] + notes.flatMap { Layout.wrap(names.text($0), indent: 0, width: width) }
  }

  private static func mark(_ check: VerifyReport.Check) -> Span {
    guard check.isOK else { return Span("differs", .red) }
    return check.measured == nil ? Span("unknown", .amber) : Span("ok", .green)
  }

  private static func text(_ value: StateValue?, _ check: VerifyReport.Check) -> Span {
    switch value {
    case .strings(let words): Span(words.isEmpty ? "no" : words.joined(separator: " "))
    case .number(let seconds) where check.name == "roundTrip":
      Span(PropertyWords.text(.number(seconds), of: .ioBufferDuration))
    case .number(let count) where check.name == "lostFrames": Span("\(Int(saturating: count))")
    default: Span(PropertyWords.text(value, of: Property(rawValue: check.name)))
    }
  }

  private static func measured(_ check: VerifyReport.Check) -> Span {
    guard case .number(let rate) = check.measured, check.name == Property.sampleRate.rawValue else {
      return text(check.measured, check)
    }
    return Span("\(rate)" + (check.uncertainty.map { " ± \($0)" } ?? "") + " Hz")
  }
}
