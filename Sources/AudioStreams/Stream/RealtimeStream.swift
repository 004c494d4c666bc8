import AudioSession
import CPulseStream
import PulseTypes

/// A record or playback stream on its own thread, which runs only C.
///
/// A second, ordinary thread runs Swift: it waits for signals of the stream and calls the handler.
/// The audio thread never waits for the handler. Calls of the handler never overlap, and none
/// happens after `close` has returned.
final class RealtimeStream: Sendable {
  /// What the handler receives, on the watching thread.
  enum Signal {
    /// The server made the stream.
    case ready(StreamGrant)
    /// Recorded frames; the samples are valid during the call.
    case sound(ps_chunk, UnsafeBufferPointer<Float>)
    /// Playback: the server requested sound and got it.
    case requested
    /// Something happened to the stream.
    case events(StreamEvents)
    /// The last signal: the error, or nil if the stream was closed.
    case ended(StreamError?)
  }

  private let watcher: StreamWatcher

  /// Starts to open a stream; `opened` waits for it.
  init(
    _ request: StreamRequest, handler: @escaping @Sendable (Signal) -> Void = { _ in }
  ) throws(StreamError) {
    watcher = try StreamWatcher(request, handler)
  }

  deinit { ps_stream_stop(native) }

  /// The C stream, for functions that any thread may call.
  var native: OpaquePointer { watcher.handle.native }

  /// Waits until the server has made the stream; cancelling the task closes it, and throws also if
  /// the stream became ready at that moment.
  func opened() async throws(StreamError) -> StreamGrant {
    let result = await watcher.opening.valueUnlessCancelled()
    do throws(StreamError) {
      guard let result, !Task.isCancelled else {
        ps_stream_stop(native)
        throw StreamError(.engineStartFailed, "the stream was closed while it was opened")
      }
      return try result.get()
    } catch {
      var error = error
      error.isCancelled = Task.isCancelled
      throw error
    }
  }

  /// Plays what a C function renders from now on. Call it once, when the stream is ready.
  ///
  /// The context must stay valid until `close` has returned.
  func start(_ render: ps_render, context: UnsafeMutableRawPointer) {
    ps_stream_start(native, render, context)
  }

  /// Stops rendering; the event `drained` follows when everything has been played.
  func drain() { ps_stream_drain(native) }

  /// The index of the device that the stream is on now.
  var device: Index<Device> { Index(ps_stream_device(native)) }

  /// The name of the output that it is on now, as far as it is known.
  func outputName(_ session: AudioSession, _ grant: StreamGrant) async -> String {
    let device = await session.lastSnapshot?.device(.output, at: device)?.name
    return device ?? grant.device ?? "the output"
  }

  /// Whether it is paused, because the server requests it.
  var isPaused: Bool { ps_stream_is_paused(native) }

  /// Its own index on the server; valid once it is ready.
  var index: Index<Stream> { Index(ps_stream_info(native).pointee.index) }

  /// The figures so far.
  var statistics: StreamStatistics {
    var stats = ps_stats()
    ps_stream_stats(native, &stats)
    return StreamStatistics(stats)
  }

  /// How long sound that is written now takes until it is heard, as the server measures it; nil if the
  /// task is cancelled before the answer, or the stream ends.
  func latency() async -> Duration? {
    let answer = watcher.nextTiming
    ps_stream_ask_latency(native)
    guard await answer.valueUnlessCancelled() != nil, ps_stream_state(native) == PS_READY else {
      return nil
    }
    let latency = ps_stream_latency(native)
    return latency < 0 ? nil : .nanoseconds(latency)
  }

  /// Ends the stream and waits for its thread to end. May be called repeatedly, but never from the
  /// handler.
  func close() async {
    ps_stream_stop(native)
    await watcher.ending.value()
  }
}
