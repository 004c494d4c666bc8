import AudioSession
import PulseTypes

/// On a busy machine PipeWire may leave a stream without its source: the stream then delivers
/// zeros, or nothing, for ever, while another stream of the same source gets the sound. A tap that
/// has been silent for a while is compared with a second one, and reopened if only the second one
/// gets sound. When it is reopened, the zeros since the last comparison are listed as missing.
extension AudioCapture {
  /// How long a tap is silent before it is compared; the interval doubles while both taps are
  /// silent.
  private static let patience = (first: Duration.seconds(2), longest: Duration.seconds(15))

  /// Watches a tap until the task is cancelled.
  func watchLife(_ tapID: UInt64, _ request: StreamRequest, _ pulse: TapPulse) -> Task<Void, Never>
  {
    Task { [weak self, session] in
      var patience = Self.patience.first
      var lastComparison = Int64.min
      // When a comparison last found both taps alike.
      var compared = Int64.min
      while !Task.isCancelled {
        try? await session.sleep(until: .now + .milliseconds(250))
        let last = pulse.last
        let silent = Duration.nanoseconds(HostClock.nanoseconds - last.sound)
        if silent < Self.patience.first { patience = Self.patience.first }
        let unseen = Duration.nanoseconds(
          HostClock.nanoseconds - max(last.sound, lastComparison))
        guard !Task.isCancelled, unseen >= patience else { continue }
        lastComparison = HostClock.nanoseconds
        patience = min(patience * 2, Self.patience.longest)
        guard let (request, isMuted) = await self?.comparison(with: tapID, request),
          let second = await Self.listen(request, session)
        else { continue }
        let now = pulse.last
        let isDeaf = !isMuted && second.hasSound && now.sound == last.sound
        let isStopped = second.hasFrames && now.frames == last.frames
        guard isDeaf || isStopped else {
          if second.hasFrames { compared = HostClock.nanoseconds }
          continue
        }
        let deaf: Int64? = isDeaf ? max(last.sound, compared) : nil
        // A tap that is closed cancels this task, which must not end the new one.
        Task { [weak self] in await self?.tapAgain(insteadOf: tapID, deafSince: deaf) }
        return
      }
    }
  }

  /// The request for a second stream of the device that the tap is on now, and whether the tap's own
  /// stream is muted or has the volume 0, as a mixer can do: it is silent on purpose then.
  private func comparison(
    with tapID: UInt64, _ request: StreamRequest
  ) async -> (request: StreamRequest, isMuted: Bool)? {
    guard isCurrent(tapID), let tap = run?.tap, let snapshot = try? await snapshot() else {
      return nil
    }
    let stream = snapshot.sourceOutputs.first { $0.index == tap.index }
    let isMuted = stream?.isMuted == true || stream?.volume?.loudest == .muted
    var request = request
    request.device = snapshot.device(.input, at: tap.device)?.name ?? request.device
    return (request, isMuted)
  }

  /// What a second tap receives in half a second; nil if it cannot be opened.
  private static func listen(
    _ request: StreamRequest, _ session: AudioSession
  ) async -> (hasFrames: Bool, hasSound: Bool)? {
    let pulse = TapPulse()
    var request = request
    request.name = "Audio capture, compared"
    guard
      let stream = try? RealtimeStream(
        request, handler: { if case .sound(_, let samples) = $0 { pulse.note(samples) } })
    else { return nil }
    guard (try? await stream.opened()) != nil else {
      await stream.close()
      return nil
    }
    let start = HostClock.nanoseconds
    while !Task.isCancelled, pulse.last.sound == .max,
      HostClock.nanoseconds - start < 500_000_000
    {
      try? await session.sleep(until: .now + .milliseconds(20))
    }
    await stream.close()
    return (pulse.last.frames != .max, pulse.last.sound != .max)
  }

  /// - Parameter time: since when the tap has delivered zeros, which were passed on as sound
  ///   (`HostClock`); nil if it has delivered nothing.
  func tapAgain(insteadOf tapID: UInt64, deafSince time: Int64?) async {
    await react { capture in
      guard capture.isCurrent(tapID) else { return }
      if let time {
        let name = capture.run?.input.map { "'\($0)'" } ?? "the input"
        capture.emit(.error(.deaf(name, .nanoseconds(HostClock.nanoseconds - time))))
      }
      await capture.closeTap()
      capture.run?.pipeline.expectGap(.overrun)
      if let time { capture.run?.pipeline.listZeros(since: time) }
      await capture.tapAgain()
    }
  }
}
