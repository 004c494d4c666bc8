/// The progress of playing a file.
enum PlayView {
  static func line(_ progress: (position: Duration, length: Duration), isPaused: Bool) -> Line {
    let (position, length) = (
      RecordView.clock(progress.position), RecordView.clock(progress.length)
    )
    let pause = isPaused ? [Span(", paused"), Span(" by the server for another program")] : []
    return Line([Span("\(position) of \(length)")] + pause)
  }
}
