internal import CAudioKernel
import POSIX
internal import PulseTypes

/// Plays test tones on an output: sines and sweeps, each on certain channels.
package final class TonePlayer: Sendable {
  /// A sine that glides from one frequency to another; silence if it has no channels.
  package struct Segment: Sendable, Hashable {
    /// The duration.
    package var seconds: Double
    /// The frequency at its begin, in Hz.
    package var from: Double
    /// The frequency at its end, in Hz.
    package var to: Double
    /// 1.0 is full scale.
    package var amplitude: Double
    /// The indexes of the channels; nil for all.
    package var channels: [Int]?

    package init(
      seconds: Double, from: Double, to: Double, amplitude: Double, channels: [Int]? = nil
    ) {
      self.seconds = seconds
      self.from = from
      self.to = to
      self.amplitude = amplitude
      self.channels = channels
    }

    /// A pause.
    package static func silence(_ seconds: Double) -> Segment {
      Segment(seconds: seconds, from: 1, to: 1, amplitude: 0, channels: [])
    }
  }

  /// The device's rate in Hz.
  package let sampleRate: Int
  private let device: String
  private let stream: RealtimeStream
  private let kernel: ToneKernel
  private let bufferFrames: UInt64
  /// Whether the stream has ended, and the error that ended it.
  private let ending: Guarded<(isOver: Bool, error: StreamError?)>

  /// Starts to play.
  ///
  /// - Parameters:
  ///   - segments: the segments, in order.
  ///   - server: the server's address; nil means the environment's.
  ///   - device: the sink's name; nil follows the default.
  ///   - latency: how much sound is buffered on the server.
  package init(
    _ segments: [Segment], server: String?, device: String? = nil,
    latency: Duration = .milliseconds(50)
  ) async throws(StreamError) {
    let request = StreamRequest(
      direction: .output, server: server, name: "Test tone", device: device, latency: latency)
    let ending = Guarded<(isOver: Bool, error: StreamError?)>((false, nil))
    self.ending = ending
    stream = try RealtimeStream(request) { signal in
      if case .ended(let error) = signal { ending.withLock { $0 = (true, error) } }
    }
    let grant = try await stream.opened()
    sampleRate = grant.rate
    self.device = grant.device ?? device ?? "the output"
    bufferFrames = UInt64(grant.bufferFrames)
    kernel = ToneKernel(segments, sampleRate: Double(grant.rate), channels: grant.channels)
    stream.start(ak_tone_render, context: UnsafeMutableRawPointer(kernel.pointer))
  }

  deinit {
    // The kernel must outlive the audio thread that renders with it.
    Task { [stream, kernel] in
      await stream.close()
      withExtendedLifetime(kernel) {}
    }
  }

  /// When the begin of a segment was passed to the server, by `DeviceTap.now`; nil before.
  package func begin(of segment: Int) -> Int64? {
    let time = ak_tone_begun(kernel.pointer, segment)
    return time == 0 ? nil : time
  }

  /// Whether everything has been played, that is, followed by as much silence as the server
  /// buffers; also true if the stream has ended.
  package var isOver: Bool {
    ending.withLock { $0.isOver }
      || ak_tone_position(kernel.pointer) >= kernel.frames + bufferFrames
  }

  /// How many seconds have been passed to the server.
  package var seconds: Double { Double(ak_tone_position(kernel.pointer)) / Double(sampleRate) }

  /// The error that ended the stream by itself, if any.
  package var failure: StreamError? { ending.withLock { $0.error } }

  /// Ends the stream at once.
  package func close() async { await stream.close() }

  /// Waits until everything has been played, and ends the stream. Ends it at once if the task is
  /// cancelled.
  ///
  /// - Parameter notice: called every few milliseconds meanwhile.
  /// - Throws: the error that ended the stream; `engineStartFailed` if the output takes no sound for
  ///   five seconds.
  package func finish(_ notice: () -> Void = {}) async throws(StreamError) {
    var progress = Standstill()
    while !isOver, !Task.isCancelled, !progress.isLasting(ak_tone_position(kernel.pointer)) {
      try? await Task.sleep(for: progress.interval)
      notice()
    }
    let (isDone, failure) = (isOver || Task.isCancelled, failure)
    await stream.close()
    if let failure { throw failure }
    if !isDone { throw .standstill(device) }
  }
}
