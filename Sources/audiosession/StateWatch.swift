import AudioSession
import PulseTypes

/// `state --watch`: the state drawn again whenever what is shown of it changes, and when the screen gets
/// another size, with a mark at each line that changed.
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
    var drawing = Drawing()
    // Begins before the first reading, so that no change is missed in between.
    let resizes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    if !output.isJSON, output.terminal.canMove {
      Interruption.onResize { resizes.continuation.yield() }
    }
    var changes = await session.changes(besides: resizes.stream).makeAsyncIterator()
    while !Task.isCancelled {
      let (state, error) = try await StateCommand.state(of: session)
      let snapshot = error == nil ? await session.lastSnapshot : nil
      if !output.isJSON {
        draw(state, snapshot, over: &drawing)
      } else if state != last {
        last = state
        try output.json(state, isOneLine: true)
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

  /// What is on the screen, and its size.
  private struct Drawing: Equatable {
    var lines: [Line] = []
    var terminal: Terminal?
  }

  /// Draws a state, unless that is what is shown.
  private func draw(_ state: SessionState, _ snapshot: ServerSnapshot?, over shown: inout Drawing) {
    let terminal = output.terminal
    let lines = StateView.lines(
      state, snapshot, width: terminal.width.map { $0 - 2 }, isLive: true,
      names: context.names(snapshot), on: context.options.server)
    let next = Drawing(lines: lines, terminal: terminal)
    guard next != shown else { return }
    // On a screen of another size a line may be wrapped elsewhere, which is no change.
    let marked = Self.marked(lines, since: terminal == shown.terminal ? shown.lines : [])
    shown = next
    if terminal.canMove {
      output.drawScreen(marked)
    } else {
      output.print(marked + [.empty])
    }
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
