import Pulse

/// Buffers between the thread that converts and the one task that reads.
///
/// It holds a bounded number. When it is full the oldest goes, and the next one says what is
/// missing: who is slow gets the newest sound, never a growing delay.
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

  /// Must be called with the lock held, and with two buffers or more.
  private func dropOldest() {
    let dropped = buffers.removeFirst()
    let start = dropped.missing.first.map { min($0.position, dropped.position) } ?? dropped.position
    let end = dropped.position + Int64(dropped.frameLength)
    var first = MissingFrames(
      position: start, frames: Int(end - start), cause: .slowConsumer)
    // What the dropped one said is part of what is missing now.
    if let former = dropped.missing.first, former.cause == .slowConsumer {
      first.position = former.position
      first.frames = Int(end - former.position)
    }
    buffers[0].missing.insert(first, at: 0)
  }

  /// The next buffer; nil after the end, and when the task is cancelled.
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

  /// Whether nobody reads any more, although buffers were still to come.
  var isAbandoned: Bool { lock.withLock { wasLeft } }

  /// Nobody reads any more; true where this is the end of it, and the first time.
  func abandon() -> Bool {
    let isEnd = lock.withLock { () -> Bool in
      guard !isFinished else { return false }
      (isFinished, wasLeft, buffers) = (true, true, [])
      return true
    }
    takeWaiting()?.resume(returning: nil)
    return isEnd
  }

  /// No buffer comes any more; those that are here can still be read.
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

/// The hold on a running capture that its buffers and their iterators share: with the last of them it
/// ends. A stop is posted then; nothing is freed here.
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

/// The buffers of one run of a capture, for one reader; it ends when the capture stops.
///
/// The reader owns the capture: it stops when the last reference to the buffers goes, with a loop that
/// is left, and when the task that reads is cancelled.
///
/// A reader that is slower than the sound for longer than the backlog loses the oldest buffers; the
/// next one says how many frames are missing.
public struct CaptureBuffers: AsyncSequence, Sendable {
  let lease: BufferLease

  /// Reads the buffers in order.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let lease: BufferLease

    /// The next buffer; nil when the capture has stopped, or the task is cancelled.
    public func next() async -> CaptureBuffer? { await lease.next() }

    /// The next buffer; nil when the capture has stopped, or the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> CaptureBuffer? {
      await lease.next()
    }
  }

  /// Makes the reader; there should be one.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lease: lease) }
}
