import AudioSession
import AudioStreams
import Glibc
import JSONCoding
import POSIX
import Synchronization

/// Where results and messages go.
final class Output: Sendable {
  let isJSON: Bool
  private let isPlain: Bool
  private let hasFailed = Atomic(false)
  private let hasLeft = Atomic(false)
  /// Whether a line of progress is on the screen: other messages replace it.
  private let hasProgress = Atomic(false)
  /// Whether a part of the result was printed.
  private let hasResult = Atomic(false)
  /// Whether a signal arrived while a reader read nothing: the remaining output is dropped.
  private let hasStalled = Atomic(false)
  /// One thread at a time: the room that it has seen must be there when it writes.
  private let turn = Lock()
  /// What the log has left out.
  private let loss = Guarded(Loss())

  private struct Loss {
    var lines = 0
    /// Whether a part of the last line was written.
    var isCut = false
  }

  /// - Parameter isPlain: whether nothing is coloured, drawn or redrawn.
  init(isJSON: Bool, isPlain: Bool = false) {
    self.isJSON = isJSON
    self.isPlain = isPlain
  }

  /// Measured each time: a window changes its size while a command draws.
  var terminal: Terminal { isPlain ? .plain : Terminal(descriptor: 1) }
  private var messages: Terminal { isPlain ? .plain : Terminal(descriptor: 2) }

  /// Whether a result could not be written for another reason than a missing reader.
  var isLost: Bool { hasFailed.load(ordering: .relaxed) }

  /// Whether an earlier write has shown that standard output takes nothing more: it has no reader, or the
  /// result is lost.
  var isOver: Bool { isLost || hasLeft.load(ordering: .relaxed) }

  /// Prints the result, as JSON or for users; the status of a command that has done its work.
  @discardableResult
  func result(_ value: some Encodable, _ lines: (Int?) -> [Line]) throws -> Status {
    if isJSON { try json(value) } else { print(lines(terminal.width)) }
    return .done
  }

  /// A result whose JSON has the number of its schema first.
  @discardableResult
  func result(json members: JSONObject, _ lines: (Int?) -> [Line]) throws -> Status {
    try result(["schema": 1] + members, lines)
  }

  func print(_ lines: [Line]) {
    let lines = isPlain ? lines.map(\.undrawn) : lines
    write(lines.rendered(colour: terminal.hasColour), to: 1)
  }

  /// Prints lines in place of earlier ones, of which there may be more; for a terminal.
  func redraw(_ lines: [Line], over count: Int) {
    let up = count > 0 ? "\u{1b}[\(count)A" : ""
    write(up + cleared(lines) + "\u{1b}[J", to: 1)
  }

  /// Lines, each after its row is cleared: behind one that fills its row the cursor is still on the last
  /// character.
  private func cleared(_ lines: some Sequence<Line>) -> String {
    let hasColour = terminal.hasColour
    return lines.map { "\u{1b}[K" + $0.rendered(colour: hasColour) + "\n" }.joined()
  }

  /// Draws lines over the whole screen, as many as it has room for, and how many it has not.
  func drawScreen(_ lines: [Line]) {
    let shown = Layout.fitting(
      lines, rows: max(2, terminal.height - 1), columns: terminal.width ?? .max)
    write("\u{1b}[H" + cleared(shown) + "\u{1b}[J", to: 1)
  }

  func json(_ value: some Encodable, isOneLine: Bool = false) throws {
    write(try JSONText.encode(value, isOneLine: isOneLine), to: 1)
  }

  /// Shows a line on standard error that the next one replaces, if that is a terminal, and as far as
  /// there is room: it waits for no reader. nil removes it. Leaves out the last parts of a line that
  /// is wider than the screen.
  func progress(_ line: Line?) {
    let messages = messages
    guard messages.canMove, let width = messages.width else { return }
    var spans = line?.spans ?? []
    while Line(spans).width >= width, spans.count > 1 { spans.removeLast() }
    hasProgress.store(line != nil, ordering: .relaxed)
    let shown = Line(spans).clipped(to: width - 1).rendered(colour: messages.hasColour)
    let text = "\r\(shown)\u{1b}[K"
    if line == nil { write(text, to: 2) } else { _ = writeUnlessFull(Array(text.utf8), to: 2) }
  }

  /// Shows a line of progress ten times a second during `body`.
  func progressing<R>(
    on session: AudioSession, _ line: @escaping @Sendable () async -> Line?,
    during body: () async throws -> R
  ) async throws -> R {
    let ticks = Task { [self] in
      while !Task.isCancelled {
        if let line = await line() { progress(line) }
        try? await Task.sleep(for: .milliseconds(100))
      }
      progress(nil)
    }
    let result = await outcome(of: body)
    ticks.cancel()
    // A line may wait for a disk that hangs.
    await session.waitASecond { await ticks.value }
    return try result.get()
  }

  /// Shows what a command does while it takes longer than half a second, and for how long it has; until
  /// its result is printed.
  func showing<R>(_ activity: String?, _ body: () async throws -> R) async rethrows -> R {
    guard let activity, messages.isPerson else { return try await body() }
    let ticks = Task { [self] in
      let start = ContinuousClock.now
      var next = Duration.milliseconds(500)
      while true {
        try await Task.sleep(until: start + next)
        guard !hasResult.load(ordering: .relaxed) else { return }
        let seconds = next < .seconds(1) ? "" : " (\(next.components.seconds) s)"
        progress(Line([Span("\(activity)…", .dim), Span(seconds, .dim)]))
        next = .seconds(next.components.seconds + 1)
      }
    }
    defer { ticks.cancel() }
    return try await body()
  }

  /// Removes the line of progress, before other text.
  private func endProgress() {
    if hasProgress.load(ordering: .relaxed) { progress(nil) }
  }

  /// Prints a line for a person at a terminal.
  func hint(_ text: String) { if messages.isPerson { note(text) } }

  /// Prints a line on standard error that is not a failure.
  func note(_ text: String) { message("note: ", text, .dim) }

  func warning(_ text: String) { message("warning: ", text, .amber) }

  func log(_ text: String) { message("", text, .dim) }

  /// Prints a line like `log`, but waits for no reader: lines for which standard error has no room
  /// are left out, and counted before the next one that is printed.
  func logUnlessFull(_ text: String) {
    loss.withLock { loss in
      var shown = lines("", text, .dim)
      if loss.lines > 0 {
        let what = Words.count(loss.lines, "line")
        shown = lines("", "\(what) left out: standard error had no room", .dim) + shown
      }
      let start = loss.isCut ? "\n" : ""
      let bytes = Array((start + rendered(shown)).utf8)
      let rest = writeUnlessFull(bytes, to: 2)
      if rest.isEmpty {
        loss = Loss()
      } else {
        loss.lines += 1
        loss.isCut = loss.isCut || rest.count < bytes.count
      }
    }
  }

  private func message(_ kind: String, _ text: String, _ style: Style) {
    say(lines(kind, text, style))
  }

  private func lines(_ kind: String, _ text: String, _ style: Style) -> [Line] {
    Layout.message(Span("audiosession: \(kind)", style), text, width: messages.width)
  }

  /// Prints the usage of a command on standard error.
  func usage(_ text: String) { write(Self.fitted(text, messages.width), to: 2) }

  /// The argument parser's text, whose usage is one line of any length.
  private static func fitted(_ text: String, _ width: Int?) -> String {
    guard let width else { return text + "\n" }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      let indent = line.prefix { $0 == " " }.count
      return line.count <= width
        ? [Line(String(line))] : Layout.wrap(String(line), indent: indent, width: width)
    }
    return lines.rendered(colour: false)
  }

  private func say(_ lines: [Line]) { write(rendered(lines), to: 2) }

  /// Lines for standard error, in place of a line of progress.
  private func rendered(_ lines: [Line]) -> String {
    let start = hasProgress.load(ordering: .relaxed) ? "\r\u{1b}[K" : ""
    return start + lines.rendered(colour: messages.hasColour)
  }

  /// Prints a failure and returns the exit status.
  ///
  /// - Parameters:
  ///   - isOneLine: whether the JSON is one of many lines.
  ///   - isTriedAgain: whether what failed is tried again, which is printed, too.
  @discardableResult
  func report(_ error: any Error, isOneLine: Bool = false, isTriedAgain: Bool = false) -> Status {
    let failure = Failure(error)
    if isJSON {
      try? json(failure.json, isOneLine: isOneLine)
    } else {
      say(ErrorView.lines(failure, width: messages.width))
    }
    if isTriedAgain { note("trying again until it works") }
    return failure.status
  }

  /// Prints a failure in addition to a result, and returns the exit status.
  func complain(_ error: SessionError) -> Status {
    say(ErrorView.lines(Failure(error), width: messages.width))
    return Status(error)
  }

  /// Prints the argument parser's help, and ends the program.
  func end(withHelp text: String) -> Never { end(with: Self.fitted(text, terminal.width)) }

  /// Prints a text that is the whole result, and ends the program.
  func end(with text: String) -> Never {
    write(text, to: 1)
    leave(isLost ? .storeFailed : .done)
  }

  private func write(_ text: String, to descriptor: Int32) {
    if descriptor == 1, !hasResult.exchange(true, ordering: .relaxed) { endProgress() }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty, !hasStalled.load(ordering: .relaxed) {
      guard Self.waitForRoom(in: descriptor) else {
        return hasStalled.store(true, ordering: .relaxed)
      }
      // Another thread may have taken the room.
      guard let written = writeNow(bytes, to: descriptor) else { continue }
      if written.count >= 0 {
        bytes = bytes.dropFirst(written.count)
      } else if !written.isInterrupted {
        // A reader that closed the pipe chose so; that is not a failure. A full disk is one.
        guard descriptor == 1 else { return }
        if written.error == EPIPE {
          hasLeft.store(true, ordering: .relaxed)
        } else {
          fail(written.error)
        }
        return
      }
    }
  }

  /// The result of a write, and its error number.
  private struct Written {
    let count: Int
    let error: Int32

    /// Whether nothing is wrong: the write is to be repeated.
    var isInterrupted: Bool { error == EINTR || error == EAGAIN }
  }

  /// Writes as much as fits without waiting; what is left.
  private func writeUnlessFull(_ bytes: [UInt8], to descriptor: Int32) -> ArraySlice<UInt8> {
    var rest = bytes[...]
    while !rest.isEmpty, let written = writeNow(rest, to: descriptor), written.count > 0 {
      rest = rest.dropFirst(written.count)
    }
    return rest
  }

  /// Writes a part that fits without waiting; nil if none does.
  private func writeNow(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Written? {
    let most = isatty(descriptor) == 1 ? 128 : Int(PIPE_BUF)
    return turn.withLock { () -> Written? in
      guard poll([.output(descriptor)], for: 0)[0] else { return nil }
      let count = bytes.prefix(most).withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      return Written(count: count, error: errno)
    }
  }

  /// Waits until a descriptor accepts data, without limit; after a signal, false if the reader
  /// reads nothing.
  private static func waitForRoom(in descriptor: Int32) -> Bool {
    let room = Happening.output(descriptor)
    while true {
      let ready = poll([room, .input(Interruption.descriptor)], for: -1)
      if ready[0] { return true }
      if ready[1] { return poll([room], for: 200)[0] }
    }
  }

  private func fail(_ number: Int32) {
    guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
    let reason = SystemError(number)
    say([["audiosession: ", Span("cannot write the result: \(reason)")]])
  }
}
