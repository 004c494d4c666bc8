import CPulseStream
import Glibc
import Pulse
import PulseTypes

/// A record or playback stream on a thread of its own that runs C only.
///
/// A second thread, ordinary and Swift's, waits for its signals and calls the handler; whatever the
/// handler does, the audio thread never waits for it. The handler's calls come one after the other,
/// and none comes after `close` has returned.
final class RealtimeStream: Sendable {
  /// What the handler is told, on the watching thread.
  enum Signal {
    /// The server made the stream.
    case ready(StreamGrant)
    /// Recorded frames; the samples are valid during the call.
    case sound(ps_chunk, UnsafeBufferPointer<Float>)
    /// Playback asked for sound, and has it.
    case requested
    /// Something happened to the stream.
    case events(StreamEvents)
    /// The last: it failed, or nil where it was closed.
    case ended(StreamError?)
  }

  /// What was asked for.
  let wish: StreamWish
  private let watcher: StreamWatcher

  /// Starts to open a stream; `opened` waits for it.
  init(
    _ wish: StreamWish, handler: @escaping @Sendable (Signal) -> Void = { _ in }
  ) throws(StreamError) {
    self.wish = wish
    watcher = try StreamWatcher(wish, handler)
  }

  deinit { ps_stream_stop(native) }

  /// The C stream, for functions that any thread may call.
  var native: OpaquePointer { watcher.handle.native }

  /// Waits until the server has made the stream; cancelling the task closes it.
  func opened() async throws(StreamError) -> StreamGrant {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { watcher.addOpening($0) }
    } onCancel: {
      ps_stream_stop(native)
    }
    return try result.get()
  }

  /// Plays what a C function renders, from now on; once, when ready.
  ///
  /// The context must stay valid until `close` has returned.
  func start(_ render: ps_render, context: UnsafeMutableRawPointer) {
    ps_stream_start(native, render, context)
  }

  /// Renders no more; the event `drained` comes when all has been played.
  func drain() { ps_stream_drain(native) }

  /// The number of the device that it is on now.
  var device: Index<Device> { Index(ps_stream_device(native)) }

  /// The figures so far.
  var statistics: StreamStatistics {
    var stats = ps_stats()
    ps_stream_stats(native, &stats)
    return StreamStatistics(stats)
  }

  /// Ends the stream and waits until its thread has; may be repeated, and never from the handler.
  func close() async {
    ps_stream_stop(native)
    await withCheckedContinuation { watcher.addEnding($0) }
  }
}
