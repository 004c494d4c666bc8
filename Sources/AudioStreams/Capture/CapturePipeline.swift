import CPulseStream
import Pulse

/// What becomes of the tapped sound: gaps are counted, the format converted, buffers cut.
///
/// It outlives the taps. Only the watching thread of the present tap is inside of it, and no new tap
/// is opened before the former one has ended.
final class CapturePipeline: @unchecked Sendable {  // used by one thread at a time, as said above
  private let configuration: CaptureConfiguration
  private let queue: BufferQueue
  private var timeline = Timeline(from: HostClock.nanoseconds)
  /// What came since a discontinuity, as long as it may be older than it seems.
  private var burst: Burst?
  private var converter: Converter?
  private var framer: Framer?
  private var input = Input()
  private var raw: [Float] = []
  /// Why time is missing before the next sound.
  private var cause = MissingFrames.Cause.routeChange
  /// What the buffers have; known once the first tap is ready, and never changed.
  private(set) var format: (sampleRate: Int, channels: Int)?
  private let lock = Lock()
  private var firstFailure: StreamError?

  /// The first failure; nothing is taken in after it. Any thread may ask.
  private(set) var failure: StreamError? {
    get { lock.withLock { firstFailure } }
    set { lock.withLock { firstFailure = firstFailure ?? newValue } }
  }

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
    /// Whether nothing of this tap was joined yet.
    var isNew = true
  }

  init(_ configuration: CaptureConfiguration, _ queue: BufferQueue) {
    self.configuration = configuration
    self.queue = queue
  }

  /// A new tap is ready.
  func begin(_ grant: StreamGrant) {
    guard failure == nil else { return }
    do {
      try settle()
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
      format = (outputRate, new.outputChannels)
    }
    converter = consume new
  }

  /// Says why time will be missing before the next sound.
  func expectGap(_ cause: MissingFrames.Cause) { self.cause = cause }

  /// The tap is closed on purpose: no time is missing before the next one.
  func pause() {
    do throws(StreamError) {
      try settle()
      try endStretch()
    } catch {
      failure = error
    }
  }

  /// The tap is opened again after a pause.
  func resume() { timeline.pause(until: HostClock.nanoseconds) }

  /// Takes recorded frames.
  func take(_ chunk: ps_chunk, _ samples: UnsafeBufferPointer<Float>) {
    guard failure == nil, let framer else { return }
    do throws(StreamError) {
      if chunk.lost > 0 {
        try settle()
        let scale = Double(framer.sampleRate) / Double(input.rate)
        try skip(Int((Double(chunk.lost) * scale).rounded()), .overrun)
      }
      if chunk.discontinuity {
        try settle()
        burst = Burst()
      }
      if burst?.takes(chunk, rate: input.rate) == true {
        burst?.add(chunk, samples, rate: input.rate)
        return
      }
      try settle()
      try convert(samples, until: chunk.end(rate: input.rate))
    } catch {
      failure = error
    }
  }

  /// Joins what came after a discontinuity to what was before it, by the clock.
  private func settle() throws(StreamError) {
    guard let burst, let rate = framer?.sampleRate else { return }
    self.burst = nil
    guard !burst.samples.isEmpty else { return }
    let frames = burst.samples.count / input.channels
    let start = burst.end - Int64(frames) * 1_000_000_000 / Int64(input.rate)
    var known = 0
    // A move inside the server loses little or nothing; less than a fragment cannot be told.
    switch timeline.join(at: start, tolerance: input.isNew ? 0 : input.fragment) {
    case .missing(let nanoseconds):
      try skip(Int((Double(nanoseconds) * Double(rate) / 1e9).rounded()), cause)
    case .overlap(let nanoseconds):
      try endStretch()
      known = min(frames, Int(nanoseconds * Int64(input.rate) / 1_000_000_000))
    }
    input.isNew = false
    try burst.samples.withUnsafeBufferPointer { samples throws(StreamError) in
      try convert(
        UnsafeBufferPointer(rebasing: samples[(known * input.channels)...]), until: burst.end)
    }
  }

  private func convert(_ samples: UnsafeBufferPointer<Float>, until end: Int64) throws(StreamError)
  {
    guard !samples.isEmpty else { return }
    input.framesIn += Int64(samples.count / input.channels)
    input.end = end
    timeline.advance(to: end)
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
