/// The steps of a demo for users.
enum DemoView {
  static func lines(_ step: DemoStep, width: Int?) -> [Line] {
    let mark = step.ok ? Span("ok      ", .green) : Span("FAILED  ", .red)
    return Layout.wrap(step.text, after: mark, width: width)
  }

  static func end(_ report: DemoReport, width: Int?) -> [Line] {
    guard report.ok else {
      return [.empty]
        + Layout.wrap(
          "A step failed; 'audiosession doctor' may show why.", indent: 0, width: width)
    }
    return [
      .empty, Line("Now on your machine:"), Line("  audiosession doctor"),
      Line("  audiosession apply podcast --keep"),
    ]
  }
}
