/// The measured properties of a source.
package struct DeviceMeasurement: Sendable {
  /// The source.
  package var device: String
  /// Hz, as the server reports it for the hardware.
  package var claimedRate: Int
  /// The rate measured against the clock; nil after too few deliveries.
  package var rate: ClockFit?
  /// What the hardware delivers at once when only its other streams ask for a latency; nil if
  /// nothing arrived for 2.5 seconds, or it was not measured.
  package var buffer: Duration?
  /// The number of lost frames.
  package var lost: Int
  /// The faults of the sound.
  package var check: SignalCheck
  /// The counterpart of each channel on the hardware; nil if this is the hardware itself.
  package var order: [Set<ChannelMatch>]?

  /// The longest buffer that is short enough for measuring the rate.
  private static let shortBuffer = Duration.milliseconds(100)

  /// Records a source and measures it.
  ///
  /// - Parameters:
  ///   - device: the source's name.
  ///   - hardware: the source at the root, if `device` is the end of a chain.
  ///   - measuresBuffer: whether to record first to see how much is delivered at once.
  ///   - hasGraphBuffer: whether the server runs all its devices in cycles of one length, and
  ///     delivers to each stream as much at once as that stream requests. Only a stream that requests
  ///     less than a cycle shows the cycle, which a session's pin keeps from being shortened for it.
  ///   - time: the duration of the recording.
  /// - Throws: also if the device is removed, or the server lost, before that time has passed.
  package static func run(
    server: String?, device: String, hardware: String?, measuresBuffer: Bool,
    hasGraphBuffer: Bool = false, time: Duration
  ) async throws(StreamError) -> DeviceMeasurement {
    // A canceller delivers its own blocks; rate and buffer are measured on the hardware.
    let asked: Duration? = hasGraphBuffer ? .milliseconds(1) : nil
    let buffer = measuresBuffer ? try await self.buffer(server, hardware ?? device, asked) : nil
    let isShort = buffer.map { $0 <= shortBuffer } ?? false
    let latency: Duration? = isShort && !hasGraphBuffer ? nil : .milliseconds(20)
    let (recording, behind) = (Recording(), Recording())
    let tap = try await DeviceTap(
      server: server, device: device, latency: latency, staysPut: true,
      handler: { recording.add($0) }, onEnd: { recording.noteEnd($0) })
    var second: DeviceTap?
    if let hardware {
      second = try await DeviceTap(
        server: server, device: hardware, latency: latency, staysPut: true,
        handler: { behind.add($0) }, onEnd: { behind.noteEnd($0) })
    }
    // A device that slept, or had a long buffer, takes a while to start.
    await recording.settles(tap)
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end, !Task.isCancelled, recording.failure == nil,
      behind.failure == nil
    {
      try? await Task.sleep(for: min(.milliseconds(100), end - ContinuousClock.now))
    }
    await tap.close()
    await second?.close()
    if let failure = recording.failure ?? behind.failure { throw failure }
    let sound = recording.sound(channels: tap.channels)
    let origin = second.map { behind.sound(channels: $0.channels) }
    // No frame is no silence.
    if sound.frames == 0 { throw .silent(device, time) }
    if let hardware, origin?.frames == 0 { throw .silent(hardware, time) }
    let order = origin.map {
      ChannelMatch.find(sound.channels, in: $0.channels, sampleRate: tap.sampleRate)
    }
    return DeviceMeasurement(
      device: device, claimedRate: (second ?? tap).sampleRate, rate: (origin ?? sound).rate,
      buffer: buffer,
      lost: sound.lostFrames(onPipeWire: hasGraphBuffer, sampleRate: tap.sampleRate),
      check: SignalCheck(sound.channels), order: order)
  }

  /// What the device delivers at once if this recording requests a latency, or none.
  private static func buffer(
    _ server: String?, _ device: String, _ asked: Duration?
  ) async throws(StreamError) -> Duration? {
    let recording = Recording()
    let tap = try await DeviceTap(
      server: server, device: device, latency: asked, staysPut: true,
      handler: { recording.add($0) })
    let start = ContinuousClock.now
    var sound = recording.sound(channels: tap.channels)
    while ContinuousClock.now - start < .milliseconds(2500), !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(100))
      sound = recording.sound(channels: tap.channels)
      // The first deliveries may differ; after a second the usual size is clear.
      if sound.deliveries.count >= 5, ContinuousClock.now - start >= .seconds(1) { break }
    }
    await tap.close()
    let frames =
      asked == nil ? sound.usualDelivery : sound.usualCycle(sampleRate: tap.sampleRate)
    return frames.map { .seconds(Double($0) / Double(tap.sampleRate)) }
  }
}
