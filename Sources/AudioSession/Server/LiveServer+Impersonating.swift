import Pulse
import PulseTypes
import SessionCore

/// Whether PipeWire's session manager remembers of a program's streams what it was told: seen, and
/// mended, by a stream that it takes for one of that program's.
///
/// WirePlumber 0.5 takes no memory from anybody, and notes only what a stream has when that changes;
/// 0.4 takes it, and on a busy machine may note our own value of a stream after it.
extension LiveServer {
  /// Opens streams as the program's until one begins as is to be remembered, and gives those that do
  /// not what they should have.
  ///
  /// By a client of its own: what this session's says of itself comes first.
  /// - Returns: Whether the first of them was right.
  @discardableResult
  func impersonate(_ saved: SavedStream) async -> Bool {
    guard let identity = saved.identity, saved.volume.values.count > 0,
      let actor = try? await PulseClient.connect(
        to: address, name: "Audio session", properties: [identity.key: identity.value],
        timeout: .seconds(2), requestTimeout: .seconds(1), loop: client.loop)
    else { return false }
    var isFirstRight = false
    for attempt in 1...5 {
      guard let isRight = await beginsRight(saved, identity, actor) else { break }
      if attempt == 1 { isFirstRight = isRight }
      if isRight { break }
    }
    await actor.close()
    return isFirstRight
  }

  /// Whether a stream of the program begins as it should; mended if not. nil where none can be had.
  private func beginsRight(
    _ saved: SavedStream, _ identity: (key: String, value: String), _ actor: PulseClient
  ) async -> Bool? {
    let spec = SampleSpec(
      format: .s16le, rate: 48000, channels: UInt8(clamping: saved.volume.values.count))
    let options = StreamOptions(
      direction: .output, name: "Audio session memory", spec: spec,
      channelMap: saved.channelMap.count == saved.volume.values.count ? saved.channelMap : nil,
      properties: [Owned.pinKey: Owned.memoryPin, identity.key: identity.value])
    guard let stream = try? await actor.openStream(options, timeout: .seconds(2)) else {
      return nil
    }
    let isRight = await becomes(saved, stream, within: .milliseconds(100))
    if !isRight {
      try? await actor.setStreamMute(.output, stream.index, saved.isMuted)
      try? await actor.setStreamVolume(.output, stream.index, saved.volume)
      _ = await becomes(saved, stream, within: .seconds(1))
    }
    await stream.close()
    return isRight
  }

  /// Whether a stream has what is to be remembered, now or soon.
  private func becomes(
    _ saved: SavedStream, _ stream: PulseStream, within limit: Duration
  ) async -> Bool {
    let deadline = Deadline(after: limit)
    while true {
      guard let seen = try? await stream.client.sinkInput(at: stream.index, timeout: .seconds(1)),
        let volume = seen.volume
      else { return false }
      let now = SavedStream(
        name: saved.name, device: nil, channelMap: seen.channelMap, volume: volume,
        isMuted: seen.isMuted)
      if now.isNear(saved) { return true }
      let moment = ContinuousClock.now + .milliseconds(5)
      guard !deadline.hasPassed, (try? await client.loop.sleep(until: moment)) != nil else {
        return false
      }
    }
  }
}

extension SavedStream {
  /// The property by which the server knows whose stream it is; nil for names that are of no program.
  fileprivate var identity: (key: String, value: String)? {
    let kinds = [
      "media-role": "media.role", "application-id": "application.id",
      "application-name": "application.name",
    ]
    for (kind, key) in kinds where name.hasPrefix("sink-input-by-\(kind):") { return (key, owner) }
    return nil
  }

  /// Whether an entry was told with the digits that PipeWire keeps.
  func isNear(_ other: SavedStream) -> Bool {
    guard isMuted == other.isMuted, volume.values.count == other.volume.values.count else {
      return false
    }
    return zip(volume.values, other.volume.values).allSatisfy { now, then in
      abs(Int(now.rawValue) - Int(then.rawValue)) < 200
    }
  }
}
