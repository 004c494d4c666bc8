internal import CAudioKernel
internal import Pulse
internal import PulseTypes

/// Plays test tones on an output: sines and sweeps, each on the channels that it names.
package final class TonePlayer: Sendable {
  /// A sine that glides from one frequency to another, or silence where it has no channels.
  package struct Segment: Sendable, Hashable {
    /// How long.
    package var seconds: Double
    /// Hz at its begin.
    package var from: Double
    /// Hz at its end.
    package var to: Double
    /// 1.0 is full scale.
    package var amplitude: Double
    /// The numbers of the channels; nil is all.
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

  /// Hz, of the device.
  package let sampleRate: Int
  private let stream: RealtimeStream
  private let kernel: ToneKernel
  private let bufferFrames: UInt64
  private let ending: Ending

  /// Starts to play.
  ///
  /// - Parameters:
  ///   - segments: what to play, one after the other.
  ///   - server: the server's address; nil means the environment's.
  ///   - device: the sink's name; nil follows the default.
  ///   - latency: how much waits on the server.
  package init(
    _ segments: [Segment], server: String?, device: String? = nil,
    latency: Duration = .milliseconds(50)
  ) async throws(StreamError) {
    let wish = StreamWish(
      direction: .output, server: server, name: "Test tone", device: device, latency: latency)
    let ending = Ending()
    self.ending = ending
    stream = try RealtimeStream(wish) { signal in
      if case .ended(let error) = signal { ending.end(error) }
    }
    let grant = try await stream.opened()
    sampleRate = grant.rate
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

  /// When a segment's begin was handed to the server, by `DeviceTap.now`; nil before.
  package func begin(of segment: Int) -> Int64? {
    let time = ak_tone_begun(kernel.pointer, segment)
    return time == 0 ? nil : time
  }

  /// Whether all has been played, once as much silence has followed as the server keeps; or the
  /// stream has ended.
  package var isOver: Bool {
    ending.hasEnded || ak_tone_position(kernel.pointer) >= kernel.frames + bufferFrames
  }

  /// Why the stream ended by itself; nil where it did not.
  package var failure: StreamError? { ending.error }

  /// Ends the stream at once.
  package func close() async { await stream.close() }

  /// Waits until all has been played, and ends the stream; a cancelled task ends it at once, and a
  /// server that plays nothing more five seconds after the last tone ought to be over.
  package func finish() async {
    let whole = Duration.seconds(Double(kernel.frames) / Double(sampleRate))
    let deadline = ContinuousClock.now + whole + .seconds(5)
    while !isOver, !Task.isCancelled, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(5))
    }
    await stream.close()
  }
}

/// How a stream ended.
private final class Ending: @unchecked Sendable {  // everything is behind `lock`
  private let lock = Lock()
  private var state: (hasEnded: Bool, error: StreamError?) = (false, nil)

  func end(_ error: StreamError?) { lock.withLock { state = (true, error) } }
  var hasEnded: Bool { lock.withLock { state.hasEnded } }
  var error: StreamError? { lock.withLock { state.error } }
}

/// The tones in C.
final class ToneKernel: @unchecked Sendable {  // the C side says which thread does what
  let pointer: OpaquePointer
  let frames: UInt64

  init(_ segments: [TonePlayer.Segment], sampleRate: Double, channels: Int) {
    let native = segments.map { segment in
      ak_tone_segment(
        frames: UInt64(max(0, segment.seconds) * sampleRate), from: segment.from, to: segment.to,
        amplitude: Float(segment.amplitude),
        channels: segment.channels.map { $0.reduce(0) { $0 | 1 << UInt64($1) } } ?? UInt64.max)
    }
    frames = native.reduce(0) { $0 + $1.frames }
    pointer = ak_tone_create(sampleRate, UInt32(channels), native, native.count)!
  }

  deinit { ak_tone_destroy(pointer) }

  /// Renders what comes next; only where no audio thread does.
  func render(_ frames: Int, channels: Int) -> [Float] {
    [Float](unsafeUninitializedCapacity: frames * channels) { buffer, count in
      ak_tone_render(UnsafeMutableRawPointer(pointer), buffer.baseAddress, frames)
      count = frames * channels
    }
  }
}
