import Pulse
import PulseTypes
import SessionCore

/// What a server remembers of a program's streams, for its next ones: PulseAudio's
/// `module-stream-restore`, and WirePlumber. A mute or a volume that a session gives to streams of
/// others is not meant to be: a program that ends meanwhile, or whose stream outlives a session that is
/// killed, must not be silent the next time. So the server is told at once to remember what was before.
///
/// It notes our value again with each later change of the stream, so it is told again then, and when
/// the stream has ended.
struct StreamMemory {
  /// What is to be remembered.
  var saved: SavedStream
  /// The stream when that was last said.
  var seen: PulseTypes.Stream
  /// Whether the stream was muted; else it was lowered.
  let isMuted: Bool
  /// The volume that it was given.
  let made: ChannelVolumes?
  /// Whether it still was so when it was last seen: what somebody chose meanwhile is rightly
  /// remembered.
  var isAsMade = true
}

extension LiveServer {
  /// Has the server remember what a stream was before a step that silences or ducks it.
  ///
  /// - Parameter stream: the stream before the step: it may have ended since.
  func keepMemory(of stream: PulseTypes.Stream, beside step: Step) async {
    let isMuting = if case .flag = step.to { true } else { false }
    guard step.isLowering else {
      // Given back: what the server makes of that by itself is right, but where it is lowered instead.
      guard let memory = memories[stream.index], memory.isMuted != isMuting else {
        return memories[stream.index] = nil
      }
      return await save(memory.saved)
    }
    guard let name = stream.properties["module-stream-restore.id"] else { return }
    var saved = SavedStream(
      name: name, device: await savedDevice(name), channelMap: stream.channelMap,
      volume: stream.volume ?? ChannelVolumes([]), isMuted: stream.isMuted)
    // Of a stream that is silenced after it was lowered, or lowered again, the first values count.
    if let former = memories[stream.index] { saved = former.saved }
    memories[stream.index] = StreamMemory(
      saved: saved, seen: snapshot.stream(of: step.setting) ?? stream, isMuted: isMuting,
      made: step.to.volume)
    await save(saved)
  }

  /// Takes another volume for that of before: the session manager's own memory of a stream.
  func restateMemory(of setting: Setting, _ value: SettingValue) {
    guard case .othersVolume(let index) = setting, let volume = value.volume else { return }
    memories[index]?.saved.volume = volume
  }

  /// Says again what is to be remembered of streams that changed or ended.
  func tendMemories() async {
    for (index, memory) in memories {
      guard let stream = snapshot.sinkInputs.first(where: { $0.index == index }) else {
        memories[index] = nil
        if memory.isAsMade { await save(memory.saved) }
        continue
      }
      guard stream != memory.seen else { continue }
      let now = memory.following(stream)
      memories[index] = now
      if now.isAsMade { await save(now.saved) }
    }
  }

  /// The device that PulseAudio keeps for such streams, which must stay; PipeWire keeps it anyway.
  private func savedDevice(_ name: String) async -> String? {
    guard !snapshot.hasGraph else { return nil }
    return try? await client.savedStreams(timeout: .seconds(1)).first { $0.name == name }?.device
  }

  /// A server that remembers no streams says no, which is as good.
  private func save(_ memory: SavedStream) async {
    guard snapshot.hasGraph else {
      return (try? await client.save(memory, timeout: .seconds(1))) ?? ()
    }
    // PipeWire tells nobody of an entry that is as it was the last time; a percent is not heard.
    var other = memory
    other.volume.values = memory.volume.values.map {
      Volume(rawValue: $0 < .norm ? $0.rawValue + Self.percent : $0.rawValue - Self.percent)
    }
    for entry in [other, memory] {
      try? await client.save(entry, timeout: .seconds(1))
      await untilTold(entry)
    }
  }

  private static let percent: UInt32 = 655

  /// Waits until WirePlumber has taken an entry. It has asked for the stream's values before, so it
  /// notes them ahead of an entry that is written next; and the program's next stream gets this one.
  private func untilTold(_ entry: SavedStream) async {
    let deadline = Deadline(after: .seconds(1))
    while !deadline.hasPassed {
      let told = try? await client.savedStreams(timeout: .seconds(1))
      guard let told, told.first(where: { $0.name == entry.name })?.isNear(entry) != true else {
        return
      }
      let moment = ContinuousClock.now + .milliseconds(2)
      guard (try? await client.loop.sleep(until: moment)) != nil else { return }
    }
  }
}

extension SavedStream {
  /// Whether an entry was told with the digits that PipeWire keeps.
  fileprivate func isNear(_ other: SavedStream) -> Bool {
    guard isMuted == other.isMuted, volume.values.count == other.volume.values.count else {
      return false
    }
    return zip(volume.values, other.volume.values).allSatisfy { now, then in
      abs(Int(now.rawValue) - Int(then.rawValue)) < 200
    }
  }
}

extension StreamMemory {
  /// With what else somebody changed of the stream.
  fileprivate func following(_ stream: PulseTypes.Stream) -> StreamMemory {
    var result = self
    result.seen = stream
    result.isAsMade = isMuted ? stream.isMuted : stream.volume == made
    if isMuted, let volume = stream.volume { result.saved.volume = volume }
    if !isMuted { result.saved.isMuted = stream.isMuted }
    return result
  }
}

extension Step {
  /// Whether a stream of others is less loud after it.
  fileprivate var isLowering: Bool {
    switch (from, to) {
    case (_, .flag(let flag)): flag
    case (.volume(let before), .volume(let after)): after.loudest < before.loudest
    default: false
    }
  }
}

extension SettingValue {
  fileprivate var volume: ChannelVolumes? {
    if case .volume(let volume) = self { volume } else { nil }
  }
}

extension ServerSnapshot {
  /// The stream of others that a setting is about.
  func stream(of setting: Setting) -> Stream? {
    switch setting {
    case .othersMute(let index), .othersVolume(let index):
      sinkInputs.first { $0.index == index }
    default: nil
    }
  }
}
