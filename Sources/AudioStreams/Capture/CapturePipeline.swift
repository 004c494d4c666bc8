import CPulseStream

/// What becomes of the tapped sound: gaps are counted, the format converted, buffers cut.
///
/// It outlives the taps. Only the watching thread of the present tap is inside of it, and no new tap
/// is opened before the former one has ended.
final class CapturePipeline: @unchecked Sendable {  // used by one thread at a time, as said above
  private let configuration: CaptureConfiguration
  private let queue: BufferQueue
  private var timeline = Timeline()
  private var converter: Converter?
  private var framer: Framer?
  private var input = Input()
  private var raw: [Float] = []
  /// Why time is missing before the next sound.
  private var cause = MissingFrames.Cause.routeChange
  /// The first failure; nothing is taken in after it.
  private(set) var failure: StreamError?

  /// The present tap.
  private struct Input {
    var rate = 0
    var channels = 0
    /// How long a fragment is, nanoseconds.
    var fragment: Int64 = 0
    /// Frames out since the converter began anew, and frames in.
    var framesIn: Int64 = 0
    var framesOut: Int64 = 0
    /// When the last frame that went in was captured, nanoseconds.
    var end: Int64 = 0
    /// Whether the next frames follow something else than this tap's last ones.
    var isJoining = false
    /// Whether nothing has come from this tap.
    var isNew = true
  }

  init(_ configuration: CaptureConfiguration, _ queue: BufferQueue) {
    self.configuration = configuration
    self.queue = queue
  }

  /// Frames that came out so far, missing ones included.
  var position: Int64 { framer?.position ?? 0 }

  /// A new tap is ready.
  func begin(_ grant: StreamGrant) {
    guard failure == nil else { return }
    do {
      try endStretch()
      try prepare(rate: grant.rate, channels: grant.channels)
    } catch {
      failure = error
    }
    input = Input(
      rate: grant.rate, channels: grant.channels,
      fragment: Int64(grant.bufferFrames) * 1_000_000_000 / Int64(max(1, grant.rate)))
  }

  /// The converter is made once for an input, and again only where the input has another format.
  private func prepare(rate: Int, channels: Int) throws(StreamError) {
    if converter?.converts(fromRate: rate, channels: channels) == true { return }
    let wanted: CaptureChannels =
      if case .device = configuration.channels, let framer { .count(framer.channels) } else {
        configuration.channels
      }
    let outputRate = framer?.sampleRate ?? configuration.sampleRate ?? rate
    let new = try Converter(
      fromRate: rate, channels: channels, toRate: outputRate, channels: wanted,
      quality: configuration.quality)
    if framer == nil {
      framer = Framer(
        channels: new.outputChannels, sampleRate: outputRate,
        frameLength: configuration.frameLength)
    }
    converter = consume new
  }

  /// Says why time will be missing before the next sound.
  func expectGap(_ cause: MissingFrames.Cause) { self.cause = cause }

  /// The time until the next sound is not missing.
  func pause() {
    timeline.pause()
    do throws(StreamError) { try endStretch() } catch { failure = failure ?? error }
  }

  /// Takes recorded frames.
  func take(_ chunk: ps_chunk, _ samples: UnsafeBufferPointer<Float>) {
    guard failure == nil, let framer else { return }
    do throws(StreamError) {
      let scale = Double(framer.sampleRate)
      if chunk.lost > 0 {
        try skip(Int((Double(chunk.lost) * scale / Double(input.rate)).rounded()), .overrun)
      }
      input.isJoining = input.isJoining || chunk.discontinuity
      guard input.isJoining else { return try convert(samples, chunk.host_ns) }
      // A move inside the server loses little or nothing; less than a fragment cannot be told.
      switch timeline.join(at: chunk.host_ns, tolerance: input.isNew ? 0 : input.fragment) {
      case .missing(let nanoseconds):
        try skip(Int((Double(nanoseconds) * scale / 1e9).rounded()), cause)
        try convert(samples, chunk.host_ns)
      case .overlap(let nanoseconds):
        let known = Int(nanoseconds * Int64(input.rate) / 1_000_000_000)
        let frames = min(samples.count / input.channels, known)
        let rest = UnsafeBufferPointer(rebasing: samples[(frames * input.channels)...])
        try endStretch()
        try convert(rest, chunk.host_ns + nanoseconds)
      }
    } catch {
      failure = error
    }
  }

  private func convert(_ samples: UnsafeBufferPointer<Float>, _ start: Int64) throws(StreamError) {
    guard !samples.isEmpty else { return }
    let frames = samples.count / input.channels
    input.isJoining = false
    input.isNew = false
    input.framesIn += Int64(frames)
    input.end = start + Int64(frames) * 1_000_000_000 / Int64(input.rate)
    timeline.advance(to: input.end)
    if configuration.includesRaw { raw += samples }
    try converter?.process(samples) { output($0) }
  }

  /// Hands on converted frames.
  private func output(_ samples: UnsafeBufferPointer<Float>) {
    guard let rate = framer?.sampleRate, let channels = framer?.channels else { return }
    // How long before the end of what went in the first of these frames is.
    let age =
      Double(input.framesIn) / Double(input.rate) - Double(input.framesOut) / Double(rate)
    let time = Duration.nanoseconds(input.end) - .seconds(age)
    input.framesOut += Int64(samples.count / channels)
    framer?.append(samples, at: time, emit)
  }

  private func emit(_ buffer: CaptureBuffer) {
    var buffer = buffer
    if configuration.includesRaw {
      buffer.raw = RawFrames(samples: raw, sampleRate: input.rate, channels: input.channels)
      raw = []
    }
    queue.add(buffer)
  }

  private func skip(_ frames: Int, _ cause: MissingFrames.Cause) throws(StreamError) {
    try endStretch()
    framer?.skip(frames, cause, emit)
  }

  /// Brings out what the converter still has: what follows does not join it.
  private func endStretch() throws(StreamError) {
    guard input.framesIn > 0 else { return }
    try converter?.flush { output($0) }
    input.framesIn = 0
    input.framesOut = 0
  }

  /// The capture has stopped.
  func finish() {
    pause()
    if configuration.includesRest, let rest = framer?.takeRest() { emit(rest) }
    queue.finish()
  }
}
