import AudioSession
import PulseTypes

/// `state --watch`: the state drawn again whenever it changes, with a mark at each line that changed.
struct StateWatch {
  /// How long a burst of changes is waited for.
  private static let burst = Duration.milliseconds(50)
  /// How often a server that does not answer is asked.
  private static let retry = Duration.milliseconds(500)

  let session: AudioSession
  let context: Context
  private var output: Output { context.output }

  /// Runs until the task is cancelled, or the output is closed.
  func run() async throws {
    var last: SessionState?
    var shown: [Line] = []
    // Begins before the first reading, so that no change is missed in between.
    var changes = await session.changes().makeAsyncIterator()
    while !Task.isCancelled {
      let (state, error) = try await StateCommand.state(of: session, isWatching: true)
      let snapshot = error == nil ? await session.lastSnapshot : nil
      if state != last {
        last = state
        shown = try show(state, snapshot, over: shown)
      }
      if output.isOver { return }
      guard error == nil else {
        try await session.sleep(until: .now + Self.retry)
        continue
      }
      guard await changes.next() != nil else { return }
      try await session.sleep(until: .now + Self.burst)
    }
  }

  /// Shows a state; what it drew.
  private func show(
    _ state: SessionState, _ snapshot: ServerSnapshot?, over shown: [Line]
  ) throws -> [Line] {
    guard !output.isJSON else {
      try output.json(state, isOneLine: true)
      return []
    }
    let terminal = output.terminal
    let width = terminal.width
    let lines = StateView.lines(
      state, snapshot, width: width.map { $0 - 2 }, isLive: true,
      names: context.names(snapshot), on: context.options.server)
    let marked = Self.marked(lines, since: shown)
    if terminal.canMove {
      output.drawScreen(marked)
    } else {
      output.print(marked + [.empty])
    }
    return lines
  }

  private static func words(_ line: Line) -> [Substring] {
    line.spans.map(\.text).joined().split(separator: " ")
  }

  /// The lines with a star before those that are new; none the first time.
  static func marked(_ lines: [Line], since shown: [Line]) -> [Line] {
    // The columns may have become wider or narrower.
    let former = Set(shown.map(words))
    return lines.map { line in
      let isNew = !shown.isEmpty && line != .empty && !former.contains(words(line))
      return Line([Span(isNew ? "* " : "  ", .bold)] + line.spans)
    }
  }
}
