import CPulseStream
import PulseTypes

/// Processes the tapped sound: counts gaps, converts the format, cuts buffers.
///
/// It outlives the taps. Only the watching thread of the current tap runs in it, and a new tap is
/// opened only after the previous one has ended.
final class CapturePipeline: @unchecked Sendable {  // one thread at a time, as explained above
  private let configuration: CaptureConfiguration
  private let queue: BufferQueue
  private var timeline = Timeline(from: HostClock.nanoseconds)
  /// Sound since a discontinuity, while it may still be older than its time stamps.
  private var burst: Burst?
  private var converter: Converter?
  private var framer: Framer?
  private var channels = 0
  private var stretch = Stretch(rate: 0, fragment: 0)
  /// Whether no sound of this tap has been joined yet.
  private var isNewTap = true
  /// Why time will be missing.
  private var gap = GapCause()
  /// The device's sound since the last buffer, in the format that it has now.
  private var raw: RawFrames?
  private var losses = LossFinder()
  let report = PipelineReport()
  /// Whether it is not known yet that the tap's device may be tapped: what is in the burst is kept back.
  private var isUnsure = false
  /// Whether the burst began since then: a gap in it does not let it go either.
  private var isBurstUnsure = false

  init(_ configuration: CaptureConfiguration, _ queue: BufferQueue) {
    self.configuration = configuration
    self.queue = queue
  }

  /// Whether the tap still gets sound; any thread may read it.
  let pulse = TapPulse()

  /// Prepares for a new tap, which is open from `time` on. `map`: as what the session presents the channels,
  /// if not as what they are. `losesSilently`: losses must be found from the sound and the clock. `isSure`:
  /// the device may be tapped; otherwise the report confirms it later.
  func begin(
    _ grant: StreamGrant, as map: ChannelMap? = nil, losesSilently: Bool = false,
    isSure: Bool = true, at time: Int64 = HostClock.nanoseconds
  ) {
    guard report.failure == nil else { return }
    flush()
    do throws(StreamError) {
      try prepare(rate: grant.rate, channels: grant.channels, map ?? grant.channelMap)
      report.unfit = nil
    } catch {
      // Another input may have sound that can be converted.
      return report.unfit = error
    }
    channels = grant.channels
    report.noteMove()
    (isUnsure, isBurstUnsure) = (!isSure, false)
    framer?.device = grant.device
    framer?.beginTap()
    stretch = Stretch(
      rate: grant.rate, fragment: Stretch.duration(Int64(grant.bufferFrames), grant.rate))
    isNewTap = true
    gap.beginTap()
    if framer?.position ?? 0 > 0 { timeline.expectSound(at: time) }
    losses.beginTap(
      losesSilently ? LostCycles(channels: grant.channels, rate: grant.rate) : nil)
    pulse.begin()
  }

  /// Makes a converter for the first input, which sets the format of the buffers, and another one only when
  /// the input's format changes.
  func prepare(rate: Int, channels: Int, _ map: ChannelMap) throws(StreamError) {
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
        frameLength: configuration.frameLength(atRate: outputRate))
      if new.keepsChannels, map.count == new.outputChannels { report.channelMap = map }
      report.format = (outputRate, new.outputChannels)
    }
    converter = consume new
  }

  /// Sets why time will be missing before the next sound.
  func expectGap(_ cause: MissingFrames.Cause) { gap.expect(cause, hasBurst: burst != nil) }

  /// Notes that the device of the tap was suspended.
  func noteSuspend() { gap.suspend(hasBurst: burst != nil) }

  /// Notes that the device of the tap runs again.
  func noteResume() { gap.resume(hasBurst: burst != nil) }

  /// Notes that the server moved the tap: sound from there is kept back until the report has its device.
  func noteMove() {
    expectGap(.routeChange)
    report.noteMove()
    isUnsure = true
  }

  /// Lists the zeros amid sound that no report of the server explains.
  private func takeZeros() { for zeros in report.takeUnexplained() { framer?.list(zeros) } }

  private func takeDevice() {
    guard let device = report.takeDevice() else { return }
    framer?.device = device
    (isUnsure, isBurstUnsure) = (false, false)
  }

  /// Passes on what has arrived, but nothing of a device that may not be tapped: the tap is closed.
  func flush() {
    takeDevice()
    takeZeros()
    if isUnsure {
      burst = nil
      gap.dropBurst()
    }
    (isUnsure, isBurstUnsure) = (false, false)
    do throws(StreamError) {
      try settle()
      try releaseZeros()
      try endStretch()
    } catch {
      report.failure = error
    }
  }

  /// Lists the zeros at the end of a closed tap as missing, from a time on (`CLOCK_MONOTONIC`). They are
  /// in the buffers already.
  func listZeros(since time: Int64) {
    flush()
    guard let rate = framer?.sampleRate else { return }
    framer?.listZeros(atMost: Self.frames(pulse.last.frames - time, rate))
  }

  /// Prepares for a tap that is closed on purpose: no time counts as missing from now until the next one.
  /// If the input was away or suspended, was moved or tapped again and delivered no sound yet, or
  /// delivered nothing for longer than a device may take, the time until `end` does.
  func pause(isAway: Bool, at end: Int64) {
    takeDevice()
    let isDropped = isUnsure && burst != nil
    flush()
    timeline.endStart(at: end)
    let awaitsSound = isNewTap || gap.isAhead
    let isOwed =
      isAway || gap.isSuspended || losses.isQuiet(at: end) || isDropped
      || awaitsSound && framer?.position ?? 0 > 0
    if isOwed, !timeline.isPaused, let rate = framer?.sampleRate,
      case .missing(let nanoseconds) = timeline.join(at: end, tolerance: 0)
    {
      skip(nanoseconds, atRate: rate, gap.cause)
    }
    timeline.pause(until: end)
    gap.pause()
  }

  /// No tap can be opened after a pause: from now on time is missing, unless there was no sound
  /// before.
  func noteAway(_ cause: MissingFrames.Cause, at time: Int64) {
    // Sound of a tap that did not last is from before.
    flush()
    timeline.endStart(at: time)
    guard timeline.isPaused, framer?.position ?? 0 > 0 else { return }
    timeline.advance(to: time)
    expectGap(cause)
  }

  /// Continues after a pause; the next tap starts now.
  func resume() { timeline.pause(until: HostClock.nanoseconds) }

  /// Accepts recorded frames.
  func take(_ chunk: ps_chunk, _ samples: UnsafeBufferPointer<Float>) {
    guard report.failure == nil, report.unfit == nil, framer != nil else { return }
    pulse.note(samples)
    gap.hear()
    takeDevice()
    takeZeros()
    do throws(StreamError) {
      let isGap = chunk.discontinuity || chunk.lost > 0
      if isGap {
        if isBurstUnsure { burst = nil }
        try settle()
        // Zeros of whole cycles directly before a gap belong to it.
        if let lost = losses.cycles?.lose() { try skipHole(lost) }
        try releaseZeros()
      }
      // The clock knows better than a server that claims to have lost more than its buffers hold.
      if chunk.discontinuity || isGap && isBurstUnsure || Int(chunk.lost) > 2 * stretch.rate {
        // The clock will show what is missing, including a hole just before.
        (burst, isBurstUnsure) = (Burst(), isUnsure)
      } else if chunk.lost > 0 {
        if stretch.framesIn > 0 { try skipHole(Int(chunk.lost)) } else { burst = Burst() }
      }
      let (rate, fragment) = (stretch.rate, stretch.fragment)
      if burst.map({ isUnsure || $0.takes(chunk, rate: rate, fragment: fragment) }) == true {
        burst?.add(chunk, samples, rate: rate)
        return
      }
      try settle()
      try findLost(samples, until: chunk.end(rate: stretch.rate))
    } catch {
      report.failure = error
    }
  }

  /// Converts the frames that arrived, and skips what the server lost in or before them.
  private func findLost(
    _ samples: UnsafeBufferPointer<Float>, until end: Int64
  ) throws(StreamError) {
    if losses.cycles == nil {
      try convert(samples, until: end)
    } else {
      try findLostCycles(samples, until: end)
    }
    // After a hole it is not known before the next sound.
    guard stretch.framesIn > 0, let lost = losses.missing(in: stretch, at: end) else { return }
    try skipHole(Self.frames(lost, stretch.rate))
  }

  private func findLostCycles(
    _ samples: UnsafeBufferPointer<Float>, until end: Int64
  ) throws(StreamError) {
    guard var cycles = losses.cycles else { return }
    defer { losses.cycles = cycles }
    try cycles.take(samples) { part, behind throws(StreamError) in
      let end = end - Stretch.duration(Int64(behind), stretch.rate)
      switch part {
      case .sound(let samples): try convert(samples, until: end)
      case .silence(let frames): try convertSilence(frames, until: end)
      case .lost(let frames) where stretch.hasBegun: try skipHole(frames)
      case .lost(let frames): try convertSilence(frames, until: end)
      case .zeros(let frames): noteZeros(frames)
      }
    }
  }

  /// Reports that the last frames, so many, are zeros amid sound, which a mute may explain.
  private func noteZeros(_ count: Int) {
    // With a hole amid them it is not known where they began.
    guard let rate = framer?.sampleRate, let end = framer?.position, count <= stretch.framesIn
    else { return }
    report.note(
      FoundZeros(
        zeros: stretch.place(ofLast: count, atRate: rate, end: end),
        began: stretch.end - Stretch.duration(Int64(count), stretch.rate), moves: report.moves))
  }

  private func convertSilence(_ frames: Int, until end: Int64) throws(StreamError) {
    let zeros = [Float](repeating: 0, count: frames * channels)
    try zeros.withUnsafeBufferPointer { zeros throws(StreamError) in
      try convert(zeros, until: end)
    }
  }

  /// Zeros that were held back are sound: nothing follows that could show otherwise.
  private func releaseZeros() throws(StreamError) {
    guard var cycles = losses.cycles else { return }
    let end = stretch.end + Stretch.duration(Int64(cycles.kept), stretch.rate)
    defer { losses.cycles = cycles }
    try cycles.release(0) { part, _ throws(StreamError) in
      if case .silence(let frames) = part { try convertSilence(frames, until: end) }
    }
  }

  /// Skips frames that the device or the ring lost and counted.
  private func skipHole(_ frames: Int) throws(StreamError) {
    guard let rate = framer?.sampleRate else { return }
    let lost = Stretch.duration(Int64(frames), stretch.rate)
    let next = stretch.next(after: lost)
    // The lateness continues: the hole is counted in the frames.
    let lateness = losses.lateness
    try endStretch()
    stretch = next
    losses.beginStretch(lateness)
    timeline.advance(to: next.end)
    timeline.tell(-lost)
    skip(lost, atRate: rate, .overrun)
  }

  /// Joins the sound after a discontinuity to the sound before it, by the clock.
  private func settle() throws(StreamError) {
    guard let burst, let rate = framer?.sampleRate else { return }
    self.burst = nil
    guard !burst.samples.isEmpty else { return }
    let length = burst.samples.count / channels
    timeline.endStart(at: burst.end - Stretch.duration(Int64(length), stretch.rate))
    let isJoined = !timeline.isPaused
    let zeros = isJoined && losses.cycles != nil ? LostCycles.leading(burst.samples, channels) : 0
    let frames = length - zeros
    let start = burst.end - Stretch.duration(Int64(frames), stretch.rate)
    var known = 0
    try endStretch()
    // Also if a hole has just ended one: the clock shows now when this one begins.
    beginStretch()
    // A move inside the server loses little or nothing; less than a fragment cannot be measured.
    switch timeline.join(at: start, tolerance: isNewTap ? 0 : stretch.fragment) {
    case .missing(let nanoseconds): skip(nanoseconds, atRate: rate, gap.cause)
    case .overlap(let nanoseconds):
      known = min(frames, Self.frames(nanoseconds, stretch.rate))
      timeline.tell(-Stretch.duration(Int64(known), stretch.rate))
    }
    gap.join()
    isNewTap = false
    stretch.isJoined = isJoined
    // Zeros before the first sound of a stretch have no sound before them that could have been lost.
    losses.cycles?.forget()
    // It was held back, and comes all at once.
    queue.beginExcuse()
    defer { queue.endExcuse() }
    try burst.samples.withUnsafeBufferPointer { samples throws(StreamError) in
      try findLost(
        UnsafeBufferPointer(rebasing: samples[((zeros + known) * channels)...]), until: burst.end)
    }
  }

  private func convert(_ samples: UnsafeBufferPointer<Float>, until end: Int64) throws(StreamError)
  {
    guard !samples.isEmpty else { return }
    stretch.add(samples.count / channels, until: end)
    timeline.advance(to: stretch.end)
    if configuration.includesRaw {
      if raw?.sampleRate != stretch.rate || raw?.channels != channels {
        raw = RawFrames(samples: [], sampleRate: stretch.rate, channels: channels)
      }
      raw?.samples += samples
    }
    try converter?.process(samples) { output($0) }
  }

  /// Appends converted frames to the buffer.
  private func output(_ samples: UnsafeBufferPointer<Float>) {
    guard let rate = framer?.sampleRate, let channels = framer?.channels else { return }
    // How long before the end of the input the first of these frames was captured.
    let age =
      Double(stretch.framesIn) / Double(stretch.rate) - Double(stretch.framesOut) / Double(rate)
    let time = Duration.nanoseconds(stretch.end) - .seconds(age)
    stretch.framesOut += Int64(samples.count / channels)
    framer?.append(samples, at: time, emit)
  }

  private func emit(_ buffer: CaptureBuffer) {
    var buffer = buffer
    if configuration.includesRaw {
      buffer.raw =
        raw ?? RawFrames(samples: [], sampleRate: stretch.rate, channels: channels)
      raw = nil
    }
    buffer.epochTime = buffer.hostTime + HostClock.epoch
    buffer.isVoiceActive = buffer.loudness >= amplitude(decibels: configuration.voiceThreshold)
    queue.add(buffer)
  }

  private static func frames(_ nanoseconds: Int64, _ rate: Int) -> Int {
    Int(saturating: Double(nanoseconds) * Double(rate) / 1e9)
  }

  /// Reports missing time in whole frames; the timeline keeps the remainder.
  private func skip(_ nanoseconds: Int64, atRate rate: Int, _ cause: MissingFrames.Cause) {
    let frames = Self.frames(nanoseconds, rate)
    framer?.skip(frames, cause, emit)
    timeline.tell(Stretch.duration(Int64(frames), rate))
  }

  /// Flushes the converter: the next sound does not join this one.
  private func endStretch() throws(StreamError) {
    guard stretch.framesIn > 0, let rate = framer?.sampleRate else { return }
    try converter?.flush { output($0) }
    timeline.tell(
      stretch.lateness + Stretch.duration(stretch.framesOut, rate)
        - Stretch.duration(stretch.framesIn, stretch.rate))
    beginStretch()
  }

  private func beginStretch() {
    stretch = Stretch(rate: stretch.rate, fragment: stretch.fragment)
    losses.beginStretch()
  }

  /// Ends the buffers, as for a pause.
  func finish(isAway: Bool, at end: Int64) {
    pause(isAway: isAway, at: end)
    if configuration.includesRest, let rest = framer?.takeRest() { emit(rest) }
    queue.finish()
  }
}
