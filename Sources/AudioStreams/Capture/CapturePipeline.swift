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
  private var channels = 0
  private var stretch = Stretch(rate: 0, fragment: 0)
  /// Whether nothing of this tap was joined yet.
  private var isNewTap = true
  private var raw: [Float] = []
  /// What finds sound that the server lost without a word; nil where the server tells.
  private var lostCycles: LostCycles?
  private var fallingBehind = FallingBehind()
  /// Why time is missing before the next sound.
  private var cause = MissingFrames.Cause.routeChange
  /// What the buffers have; known once the first tap is ready, and never changed.
  private(set) var format: (sampleRate: Int, channels: Int)?
  private let lock = Lock()
  private var firstFailure: StreamError?
  /// Where the server moved the tap, until the sound from there comes.
  private var movedTo: String?

  /// The first failure; nothing is taken in after it. Any thread may ask.
  private(set) var failure: StreamError? {
    get { lock.withLock { firstFailure } }
    set { lock.withLock { firstFailure = firstFailure ?? newValue } }
  }

  init(_ configuration: CaptureConfiguration, _ queue: BufferQueue) {
    self.configuration = configuration
    self.queue = queue
  }

  /// Whether the tap lives; any thread may ask.
  let pulse = TapPulse()

  /// A new tap is ready; whether what it loses must be found by its sound and the clock.
  func begin(_ grant: StreamGrant, losesSilently: Bool = false) {
    guard failure == nil else { return }
    do {
      try releaseZeros()
      try settle()
      try endStretch()
      try prepare(rate: grant.rate, channels: grant.channels)
    } catch {
      failure = error
    }
    channels = grant.channels
    lock.withLock { movedTo = nil }
    framer?.device = grant.device
    stretch = Stretch(
      rate: grant.rate, fragment: Stretch.duration(Int64(grant.bufferFrames), grant.rate))
    isNewTap = true
    lostCycles = losesSilently ? LostCycles(channels: grant.channels, rate: grant.rate) : nil
    pulse.begin()
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

  /// The server moved the tap to this device; any thread may say so.
  func noteMove(to device: String) { lock.withLock { movedTo = device } }

  /// The tap is closed on purpose: no time is missing before the next one.
  func pause() {
    do throws(StreamError) {
      try releaseZeros()
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
    guard failure == nil, framer != nil else { return }
    pulse.note(samples)
    let moved = lock.withLock {
      defer { movedTo = nil }
      return movedTo
    }
    if let moved { framer?.device = moved }
    do throws(StreamError) {
      if chunk.discontinuity || chunk.lost > 0 { try releaseZeros() }
      if chunk.discontinuity {
        // The clock will say what is missing, a hole just before included.
        try settle()
        burst = Burst()
      } else if chunk.lost > 0 {
        try settle()
        if stretch.framesIn > 0 { try skipHole(Int(chunk.lost)) } else { burst = Burst() }
      }
      if burst?.takes(chunk, rate: stretch.rate) == true {
        burst?.add(chunk, samples, rate: stretch.rate)
        return
      }
      try settle()
      try findLost(samples, until: chunk.end(rate: stretch.rate))
    } catch {
      failure = error
    }
  }

  /// Converts what came, without what the server lost in it or before it.
  private func findLost(
    _ samples: UnsafeBufferPointer<Float>, until end: Int64
  ) throws(StreamError) {
    guard var cycles = lostCycles else { return try convert(samples, until: end) }
    defer { lostCycles = cycles }
    try cycles.take(samples) { part, behind throws(StreamError) in
      let end = end - Stretch.duration(Int64(behind), stretch.rate)
      switch part {
      case .sound(let samples): try convert(samples, until: end)
      case .silence(let frames): try convertSilence(frames, until: end)
      case .lost(let frames): try skipHole(frames)
      }
    }
    let lost = fallingBehind.add(
      lateness: stretch.behind, at: end, fragment: stretch.fragment)
    if let lost { try skipHole(Int(lost * Int64(stretch.rate) / 1_000_000_000)) }
  }

  private func convertSilence(_ frames: Int, until end: Int64) throws(StreamError) {
    let zeros = [Float](repeating: 0, count: frames * channels)
    try zeros.withUnsafeBufferPointer { zeros throws(StreamError) in
      try convert(zeros, until: end)
    }
  }

  /// Zeros that were kept are sound: nothing follows them that could tell.
  private func releaseZeros() throws(StreamError) {
    guard var cycles = lostCycles, cycles.kept > 0 else { return }
    let end = stretch.end + Stretch.duration(Int64(cycles.kept), stretch.rate)
    defer { lostCycles = cycles }
    try cycles.release(0) { part, _ throws(StreamError) in
      if case .silence(let frames) = part { try convertSilence(frames, until: end) }
    }
  }

  /// The device or the ring lost frames, and counted them.
  private func skipHole(_ frames: Int) throws(StreamError) {
    guard let rate = framer?.sampleRate else { return }
    let lost = Stretch.duration(Int64(frames), stretch.rate)
    let next = stretch.next(after: lost)
    try endStretch()
    stretch = next
    fallingBehind = FallingBehind()
    timeline.advance(to: next.end)
    timeline.tell(-lost)
    skip(lost, atRate: rate, .overrun)
  }

  /// Joins what came after a discontinuity to what was before it, by the clock.
  private func settle() throws(StreamError) {
    guard let burst, let rate = framer?.sampleRate else { return }
    self.burst = nil
    guard !burst.samples.isEmpty else { return }
    let frames = burst.samples.count / channels
    let start = burst.end - Stretch.duration(Int64(frames), stretch.rate)
    var known = 0
    try endStretch()
    let isJoined = !timeline.isPaused
    // A move inside the server loses little or nothing; less than a fragment cannot be told.
    switch timeline.join(at: start, tolerance: isNewTap ? 0 : stretch.fragment) {
    case .missing(let nanoseconds): skip(nanoseconds, atRate: rate, cause)
    case .overlap(let nanoseconds):
      known = min(frames, Int(nanoseconds * Int64(stretch.rate) / 1_000_000_000))
      timeline.tell(-Stretch.duration(Int64(known), stretch.rate))
    }
    isNewTap = false
    stretch.isJoined = isJoined
    try burst.samples.withUnsafeBufferPointer { samples throws(StreamError) in
      try convert(UnsafeBufferPointer(rebasing: samples[(known * channels)...]), until: burst.end)
    }
  }

  private func convert(_ samples: UnsafeBufferPointer<Float>, until end: Int64) throws(StreamError)
  {
    guard !samples.isEmpty else { return }
    stretch.add(samples.count / channels, until: end)
    timeline.advance(to: stretch.end)
    if configuration.includesRaw { raw += samples }
    try converter?.process(samples) { output($0) }
  }

  /// Hands on converted frames.
  private func output(_ samples: UnsafeBufferPointer<Float>) {
    guard let rate = framer?.sampleRate, let channels = framer?.channels else { return }
    // How long before the end of what went in the first of these frames is.
    let age =
      Double(stretch.framesIn) / Double(stretch.rate) - Double(stretch.framesOut) / Double(rate)
    let time = Duration.nanoseconds(stretch.end) - .seconds(age)
    stretch.framesOut += Int64(samples.count / channels)
    framer?.append(samples, at: time, emit)
  }

  private func emit(_ buffer: CaptureBuffer) {
    var buffer = buffer
    if configuration.includesRaw {
      buffer.raw = RawFrames(samples: raw, sampleRate: stretch.rate, channels: channels)
      raw = []
    }
    queue.add(buffer)
  }

  /// Tells of missing time, in whole frames; the rest stays owed.
  private func skip(_ nanoseconds: Int64, atRate rate: Int, _ cause: MissingFrames.Cause) {
    let frames = Int((Double(nanoseconds) * Double(rate) / 1e9).rounded())
    framer?.skip(frames, cause, emit)
    timeline.tell(Stretch.duration(Int64(frames), rate))
  }

  /// Brings out what the converter still has: what follows does not join it.
  private func endStretch() throws(StreamError) {
    guard stretch.framesIn > 0, let rate = framer?.sampleRate else { return }
    try converter?.flush { output($0) }
    timeline.tell(
      stretch.lateness + Stretch.duration(stretch.framesOut, rate)
        - Stretch.duration(stretch.framesIn, stretch.rate))
    stretch = Stretch(rate: stretch.rate, fragment: stretch.fragment)
    fallingBehind = FallingBehind()
  }

  /// The capture has stopped; where its input was away then, or was tapped again and brought no sound
  /// yet, all until that time is missing.
  func finish(isAway: Bool, at end: Int64) {
    pause()
    let isOwed = isAway || isNewTap && framer?.position ?? 0 > 0
    if isOwed, !timeline.isPaused, let rate = framer?.sampleRate,
      case .missing(let nanoseconds) = timeline.join(at: end, tolerance: 0)
    {
      skip(nanoseconds, atRate: rate, cause)
    }
    if configuration.includesRest, let rest = framer?.takeRest() { emit(rest) }
    queue.finish()
  }
}
