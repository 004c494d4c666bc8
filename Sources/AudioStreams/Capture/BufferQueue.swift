import Pulse

/// Buffers between the converting thread and the one reading task.
///
/// The queue is bounded. When it is full, the oldest buffer is dropped and the next one reports the
/// missing frames: a slow reader gets the newest sound, never a growing delay.
final class BufferQueue: @unchecked Sendable {  // all of it is behind `lock`
  private let lock = Lock()
  private let limit: Int
  private var buffers: [CaptureBuffer] = []
  private var waiting: CheckedContinuation<CaptureBuffer?, Never>?
  private var isFinished = false
  private var wasLeft = false

  init(limit: Int) { self.limit = max(1, limit) }

  func add(_ buffer: CaptureBuffer) {
    let reader = lock.withLock { () -> CheckedContinuation<CaptureBuffer?, Never>? in
      guard !isFinished else { return nil }
      if let waiting {
        self.waiting = nil
        return waiting
      }
      buffers.append(buffer)
      if buffers.count > limit { dropOldest() }
      return nil
    }
    reader?.resume(returning: buffer)
  }

  /// Call with the lock held, and with at least two buffers.
  private func dropOldest() {
    let dropped = buffers.removeFirst()
    let start = dropped.missing.first.map { min($0.position, dropped.position) } ?? dropped.position
    let end = dropped.position + Int64(dropped.frameLength)
    var first = MissingFrames(
      position: start, frames: Int(end - start), cause: .slowConsumer)
    // The missing frames that the dropped buffer reported are missing here, too.
    if let former = dropped.missing.first, former.cause == .slowConsumer {
      first.position = former.position
      first.frames = Int(end - former.position)
    }
    buffers[0].missing.insert(first, at: 0)
  }

  /// The next buffer; nil after the end, or when the task is cancelled.
  func next() async -> CaptureBuffer? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, buffer) = lock.withLock { () -> (Bool, CaptureBuffer?) in
          if !buffers.isEmpty { return (true, buffers.removeFirst()) }
          if isFinished || Task.isCancelled || waiting != nil { return (true, nil) }
          waiting = continuation
          return (false, nil)
        }
        if isOver { continuation.resume(returning: buffer) }
      }
    } onCancel: {
      takeWaiting()?.resume(returning: nil)
    }
  }

  /// Whether the reader left while buffers were still expected.
  var isAbandoned: Bool { lock.withLock { wasLeft } }

  /// Ends the queue because its reader left; true only on the first call, and only if the queue had
  /// not ended.
  func abandon() -> Bool {
    let isEnd = lock.withLock { () -> Bool in
      guard !isFinished else { return false }
      (isFinished, wasLeft, buffers) = (true, true, [])
      return true
    }
    takeWaiting()?.resume(returning: nil)
    return isEnd
  }

  /// Ends the queue; buffers that are already in it can still be read.
  func finish() {
    lock.withLock { isFinished = true }
    takeWaiting()?.resume(returning: nil)
  }

  private func takeWaiting() -> CheckedContinuation<CaptureBuffer?, Never>? {
    lock.withLock {
      defer { waiting = nil }
      return waiting
    }
  }
}

/// What keeps a capture running: its buffers and their iterators share it, and the capture ends
/// with the last of them. The `deinit` only posts a stop; it frees nothing itself.
final class BufferLease: Sendable {
  let queue: BufferQueue
  private let onEnd: @Sendable () -> Void

  init(_ queue: BufferQueue, onEnd: @escaping @Sendable () -> Void) {
    self.queue = queue
    self.onEnd = onEnd
  }

  deinit { end() }

  func end() { if queue.abandon() { onEnd() } }

  func next() async -> CaptureBuffer? {
    let buffer = await queue.next()
    if buffer == nil, Task.isCancelled { end() }
    return buffer
  }
}

/// The buffers of one run of a capture, for one reader. The sequence ends when the capture stops.
///
/// The reader owns the capture: it stops when the last reference to the buffers is released, for
/// example because a loop is left, and when the reading task is cancelled.
///
/// A reader that falls behind by more than the backlog loses the oldest buffers; the next one
/// reports how many frames are missing.
public struct CaptureBuffers: AsyncSequence, Sendable {
  let lease: BufferLease

  /// Reads the buffers in order.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let lease: BufferLease

    /// The next buffer; nil when the capture has stopped or the task is cancelled.
    public func next() async -> CaptureBuffer? { await lease.next() }

    /// The next buffer; nil when the capture has stopped or the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> CaptureBuffer? {
      await lease.next()
    }
  }

  /// Makes the reader; make only one.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lease: lease) }
}
