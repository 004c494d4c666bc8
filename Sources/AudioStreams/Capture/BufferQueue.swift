import POSIX

/// Buffers between the converting thread and the one reading task.
///
/// The queue is bounded. When it is full, the oldest buffer is dropped and the next one reports the
/// missing frames: a slow reader gets the newest sound, never a growing delay. Only sound that is late for
/// another reason may wait beyond that.
final class BufferQueue: Sendable {
  private struct State {
    var buffers: [CaptureBuffer] = []
    var limit: Int
    /// How many it may have beyond the limit: those for whose lateness its reader is not to blame.
    var excused = 0
    /// How many reasons for that there are now.
    var excuses = 0
    /// The position after the last buffer.
    var end: Int64 = 0
    var waiting: CheckedContinuation<CaptureBuffer?, Never>?
    var isFinished = false
    var wasLeft = false

    mutating func takeFirst() -> CaptureBuffer {
      defer { excused = min(excused, buffers.count) }
      return buffers.removeFirst()
    }

    /// Drops the oldest of at least two buffers.
    mutating func dropOldest() {
      let dropped = buffers.removeFirst()
      let start =
        dropped.missing.first.map { min($0.position, dropped.position) } ?? dropped.position
      let end = dropped.position + Int64(dropped.frameLength)
      var first = MissingFrames(position: start, frames: Int(end - start), cause: .slowConsumer)
      // The missing frames that the dropped buffer reported are missing here, too.
      if let former = dropped.missing.first, former.cause == .slowConsumer {
        first.position = former.position
        first.frames = Int(end - former.position)
      }
      buffers[0].missing.insert(first, at: 0)
      buffers[0].silenced.insert(contentsOf: dropped.silenced, at: 0)
      buffers[0].zeros.insert(contentsOf: dropped.zeros, at: 0)
      // A source that began in it has its first frame in the next one, if that has any.
      let next = buffers[0]
      if var input = dropped.inputs.last, next.inputs.first?.position != next.position,
        next.frameLength > 0
      {
        input.position = next.position
        buffers[0].inputs.insert(input, at: 0)
      }
    }
  }

  /// More is lost, whoever is to blame: 100 s of a recorder, which takes ten buffers a second.
  private static let mostExcused = 1000

  private let state: Guarded<State>

  init(limit: Int) { state = Guarded(State(limit: max(1, limit))) }

  /// How many buffers it has at most.
  var limit: Int {
    get { state.withLock { $0.limit } }
    set { state.withLock { $0.limit = max(1, newValue) } }
  }

  /// The position after the last buffer that was added.
  var end: Int64 { state.withLock { $0.end } }

  func add(_ buffer: CaptureBuffer) {
    let reader = state.withLock { state -> CheckedContinuation<CaptureBuffer?, Never>? in
      guard !state.isFinished else { return nil }
      state.end = buffer.position + Int64(buffer.frameLength)
      if let waiting = state.waiting.take() { return waiting }
      state.buffers.append(buffer)
      if state.excuses > 0 {
        state.excused = min(Self.mostExcused, max(state.excused, state.buffers.count - state.limit))
      }
      while state.buffers.count > state.limit + state.excused { state.dropOldest() }
      return nil
    }
    reader?.resume(returning: buffer)
  }

  /// Until `endExcuse`, buffers are added although the queue is full: sound that comes late and all at
  /// once, or whose reader has to write the silence of hours first.
  func beginExcuse() { state.withLock { $0.excuses += 1 } }
  func endExcuse() { state.withLock { $0.excuses -= 1 } }

  /// The next buffer; nil after the end, or when the task is cancelled.
  func next() async -> CaptureBuffer? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, buffer) = state.withLock { state -> (Bool, CaptureBuffer?) in
          if !state.buffers.isEmpty { return (true, state.takeFirst()) }
          if state.isFinished || Task.isCancelled || state.waiting != nil { return (true, nil) }
          state.waiting = continuation
          return (false, nil)
        }
        if isOver { continuation.resume(returning: buffer) }
      }
    } onCancel: {
      endWait()
    }
  }

  /// Whether the reader left while buffers were still expected.
  var isAbandoned: Bool { state.withLock { $0.wasLeft } }

  /// Ends the queue because its reader left; true only on the first call, and only if the queue had
  /// not ended.
  ///
  /// - Parameter keepsRest: whether the buffers that are already in it can still be read.
  func abandon(keepsRest: Bool = false) -> Bool {
    let isEnd = state.withLock { state -> Bool in
      guard !state.isFinished else { return false }
      (state.isFinished, state.wasLeft) = (true, true)
      if !keepsRest { state.buffers = [] }
      return true
    }
    endWait()
    return isEnd
  }

  /// Ends the queue; buffers that are already in it can still be read.
  func finish() {
    state.withLock { $0.isFinished = true }
    endWait()
  }

  private func endWait() { state.withLock { $0.waiting.take() }?.resume(returning: nil) }
}
