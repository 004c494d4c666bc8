import CPulseStream
import Glibc
import POSIX
import PulseTypes

/// The ordinary thread beside an audio thread: waits for its signals and passes them on.
final class StreamWatcher: Sendable {
  let handle: StreamHandle
  /// Whether the stream was made.
  let opening = Promise<Result<StreamGrant, StreamError>>()
  /// The end of both threads.
  let ending = Promise<Void>()
  /// The next answer about the latency.
  private let timing = Guarded(Promise<Void>())
  private let request: StreamRequest
  private let handler: @Sendable (RealtimeStream.Signal) -> Void
  private let deadline: ContinuousClock.Instant

  init(
    _ request: StreamRequest, _ handler: @escaping @Sendable (RealtimeStream.Signal) -> Void
  ) throws(StreamError) {
    self.request = request
    self.handler = handler
    deadline = .now + request.timeout
    handle = try StreamHandle(request)
    do throws(SystemError) { try detachThread { [self] in run() } } catch {
      throw StreamError(
        .engineInitFailed, "no thread could be started", details: error.description)
    }
  }

  private func run() {
    blockSignals()
    let error = watch()
    WrongRates.note(error, of: request)
    ps_stream_join(handle.native)
    opening.fulfill(
      .failure(
        error ?? StreamError(.engineStartFailed, "the stream was closed before it was ready")))
    handler(.ended(error))
    nextTiming.fulfill(())
    ending.fulfill(())
  }

  /// Is fulfilled by the next answer about the latency, or the end.
  var nextTiming: Promise<Void> { timing.withLock { $0 } }

  /// Passes on signals until the stream ends; returns the error that ended it.
  private func watch() -> StreamError? {
    let native = handle.native
    var samples: UnsafeMutableBufferPointer<Float>?
    defer { samples?.deallocate() }
    while true {
      guard waitForSignal(untilDeadline: samples == nil) else {
        return StreamError(
          .engineStartFailed,
          "timed out after \(request.timeout) waiting for the server to make the stream",
          is: \.isTimedOut)
      }
      // Reads the state before the sound, so that sound from before the end is passed on first.
      let state = ps_stream_state(native)
      if samples == nil, ps_stream_was_ready(native) {
        let grant = handle.grant
        samples = .allocate(capacity: Int(PS_CHUNK_FRAMES) * grant.channels)
        handler(.ready(grant))
        opening.fulfill(.success(grant))
      }
      let events = StreamEvents(rawValue: ps_stream_take_events(native))
      if events.contains(.timed) {
        timing.withLock { timing in
          defer { timing = Promise() }
          return timing
        }.fulfill(())
      }
      if !events.isEmpty { handler(.events(events)) }
      if let samples { handOn(samples) }
      if state == PS_ENDED { return handle.failure(request) }
    }
  }

  private func handOn(_ samples: UnsafeMutableBufferPointer<Float>) {
    guard request.direction == .input else {
      if request.signalsRequests { handler(.requested) }
      return
    }
    var chunk = ps_chunk()
    let channels = Int(ps_stream_info(handle.native).pointee.channels)
    while ps_stream_read(handle.native, &chunk, samples.baseAddress) {
      let count = Int(chunk.frames) * channels
      handler(.sound(chunk, UnsafeBufferPointer(rebasing: samples[..<count])))
    }
  }

  /// Waits for a signal; false if the stream is not ready at its deadline.
  private func waitForSignal(untilDeadline: Bool) -> Bool {
    let descriptor = ps_stream_signal(handle.native)
    var count: UInt64 = 0
    while true {
      let left = untilDeadline ? milliseconds(until: deadline) : -1
      if poll([.input(descriptor)], for: left)[0] {
        read(descriptor, &count, 8)
        return true
      }
      if left == 0 { return false }
    }
  }
}
