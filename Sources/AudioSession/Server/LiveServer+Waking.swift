import POSIX
import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Performs an action while a device runs, if the result would not be visible otherwise.
  ///
  /// For a device without a card (a null sink, a network device), PipeWire 1.4 reports the first
  /// volume until the device has run once, whatever is set: a silent stream runs the device for
  /// that moment. Devices of cards keep their volume in the card.
  func awake<Result>(
    _ setting: Setting, _ deadline: Deadline,
    _ body: () async throws(SessionError) -> Result
  ) async throws(SessionError) -> Result {
    let stream = await wake(setting, deadline)
    let result = await outcome(of: body)
    await letSleep(stream)
    return try result.get()
  }

  /// Runs such a device; nil if it runs already, is of another kind, or no stream can be opened.
  private func wake(_ setting: Setting, _ deadline: Deadline) async -> PulseStream? {
    guard snapshot.has(.levelsShownAwake), setting.is(.showsWhenAwake),
      let device = snapshot.device(of: setting),
      device.card == nil, device.state != .running
    else { return nil }
    return await run(device, within: min(answerTime(deadline), .seconds(2)))
  }

  /// Runs a device; nil if no stream can be opened.
  private func run(_ device: Device, within timeout: Duration) async -> PulseStream? {
    let options = StreamOptions(
      direction: device.direction, name: "Audio session wake-up", device: device.name,
      spec: device.sampleSpec, channelMap: device.channelMap, startCorked: false,
      flags: [.dontMove], properties: Owned.properties(Owned.wakePin))
    return try? await client.openStream(options, timeout: timeout)
  }

  /// Performs an action while both devices of an echo canceller run, and thereby keep their rates.
  ///
  /// PulseAudio gives an idle device the rate of the first stream on it, and a canceller supports
  /// few rates: the device would lose its own rate, and with it a preferred one. Once loaded, the
  /// canceller itself keeps both devices running.
  func keepingRates(
    of spec: EchoCancellerSpec, _ timeout: Duration,
    _ body: () async throws(PulseError) -> Void
  ) async throws(PulseError) {
    var streams: [PulseStream] = []
    for (direction, name) in [(Direction.input, spec.input), (.output, spec.output)] {
      guard !snapshot.has(.graphRate), let device = snapshot.device(direction, named: name),
        device.sampleSpec.rate != UInt32(clamping: spec.rate), !snapshot.isOwned(device)
      else { continue }
      if let stream = await run(device, within: min(timeout, .seconds(2))) {
        streams.append(stream)
      }
    }
    let result = await outcome(of: body)
    for stream in streams { await letSleep(stream) }
    try result.get()
  }

  func letSleep(_ stream: PulseStream?) async {
    guard let stream else { return }
    mark(.stream(stream.direction, stream.index))
    noteClosing(stream)
    await stream.close()
  }
}
