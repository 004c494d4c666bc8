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
    // A reader that is slower than the sound never finds the queue empty.
    if Task.isCancelled, queue.abandon(keepsRest: true) { onEnd() }
    return buffer
  }
}
