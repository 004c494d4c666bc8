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
