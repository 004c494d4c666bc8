import Pulse
import PulseTypes
import SessionCore

/// What a server remembers of a program's streams, for its next ones: PulseAudio's
/// `module-stream-restore`, and WirePlumber. A mute or a volume that a session gives to streams of
/// others is not meant to be: a program that ends meanwhile, or whose stream outlives a session that is
/// killed, must not be silent the next time. So the server is told at once to remember what was before.
///
/// It notes our value again with each later change of the stream, so it is told again then, and when
/// the stream has ended. On PipeWire this takes a while (`StreamMemoryKeeper`): what begins meanwhile as
/// the session made the former stream was not chosen so by anybody.
struct StreamMemory {
  /// What is to be remembered.
  var saved: SavedStream
  /// The stream when that was last said.
  var seen: PulseTypes.Stream
  /// Whether the stream was muted; else it was lowered.
  let isMuted: Bool
  /// The volume that it was given.
  var made: ChannelVolumes?
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
      guard let memory = memories[stream.index] else { return }
      if memory.isMuted != isMuting { return await save(memory.saved) }
      // A stream that ended meanwhile may never have been given it.
      guard snapshot.stream(of: step.setting) != nil else {
        return await endMemory(of: stream.index)
      }
      memories[stream.index] = nil
      return
    }
    guard let name = stream.properties["module-stream-restore.id"] else { return }
    var saved = SavedStream(
      name: name, device: await savedDevice(name), channelMap: stream.channelMap,
      volume: stream.volume ?? ChannelVolumes([]), isMuted: stream.isMuted)
    // What is remembered for it may come later than it was seen to play.
    if let former = endedMemories[name], stream.isUntouched { saved = former.saved }
    // Of a stream that is silenced after it was lowered, or lowered again, the first values count.
    if let former = memories[stream.index] { saved = former.saved }
    memories[stream.index] = StreamMemory(
      saved: saved, seen: snapshot.stream(of: step.setting) ?? stream, isMuted: isMuting,
      made: step.to.volume)
    await save(saved)
  }

  /// Takes what the session manager restored of a stream for what it was before, but where that is what
  /// the session made the program's former stream; returns what it was before.
  func restateMemory(of setting: Setting, _ value: SettingValue) -> SettingValue {
    guard case .othersVolume(let index) = setting, let volume = value.volume,
      var memory = memories[index]
    else { return value }
    memory.saved.volume = volume
    if let former = endedMemories[memory.saved.name], former.made?.isNear(volume) == true {
      memory.saved.volume = former.saved.volume
      (memory.made, memory.isAsMade) = (volume, true)
    }
    memories[index] = memory
    return .volume(memory.saved.volume)
  }

  /// Says again what is to be remembered of streams that changed or ended.
  func tendMemories() async {
    for (index, memory) in memories {
      guard let stream = snapshot.sinkInputs.first(where: { $0.index == index }) else {
        await endMemory(of: index)
        continue
      }
      // WirePlumber notes nothing else of a stream.
      guard
        snapshot.has(.learnedStreams) ? !stream.isAsLoud(as: memory.seen) : stream != memory.seen
      else {
        continue
      }
      let now = memory.following(stream)
      memories[index] = now
      if now.isAsMade { await save(now.saved) }
    }
  }

  /// Says for the last time what is to be remembered of a stream that has ended.
  func endMemory(of index: Index<PulseTypes.Stream>) async {
    guard let memory = memories.removeValue(forKey: index), memory.isAsMade else { return }
    endedMemories[memory.saved.name] = memory
    await save(memory.saved)
  }

  /// Settings of streams that began as the session made the former one of their program, with what
  /// they would be without it; each is told once.
  func takeOver(in snapshot: ServerSnapshot) -> [(setting: Setting, before: SettingValue)] {
    guard !endedMemories.isEmpty else { return [] }
    return snapshot.sinkInputs.compactMap { stream in
      guard let name = stream.properties["module-stream-restore.id"],
        var memory = endedMemories[name], memory.seen.index.rawValue < stream.index.rawValue,
        memories[stream.index] == nil, memory.isAsMade(stream)
      else { return nil }
      memory.seen = stream
      memories[stream.index] = memory
      return memory.isMuted
        ? (.othersMute(stream.index), .flag(memory.saved.isMuted))
        : (.othersVolume(stream.index), .volume(memory.saved.volume))
    }
  }

  /// Forgets streams that have ended: what they were is remembered, or nobody knows it any more.
  func forgetEnded() { endedMemories = [:] }

  /// The device that PulseAudio keeps for such streams, which must stay; PipeWire keeps it anyway.
  private func savedDevice(_ name: String) async -> String? {
    guard !snapshot.has(.learnedStreams) else { return nil }
    return try? await client.savedStreams(timeout: .seconds(1)).first { $0.name == name }?.device
  }

  /// A server that remembers no streams says no, which is as good.
  private func save(_ memory: SavedStream) async {
    if snapshot.has(.learnedStreams) {
      await memoryKeeper.remember(memory)
    } else {
      try? await client.save(memory, timeout: .seconds(1))
    }
  }
}

extension StreamMemory {
  /// Whether a stream is as the session made this one.
  fileprivate func isAsMade(_ stream: PulseTypes.Stream) -> Bool {
    guard !isMuted else { return stream.isMuted }
    guard let made, let volume = stream.volume else { return false }
    return volume.isNear(made)
  }

  /// With what else somebody changed of the stream.
  fileprivate func following(_ stream: PulseTypes.Stream) -> StreamMemory {
    var result = self
    result.seen = stream
    result.isAsMade = isAsMade(stream)
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

extension PulseTypes.Stream {
  /// Whether it is as every stream begins of which nothing is remembered.
  fileprivate var isUntouched: Bool {
    !isMuted && volume?.values.allSatisfy { $0 == .norm } == true
  }

  fileprivate func isAsLoud(as other: PulseTypes.Stream) -> Bool {
    isMuted == other.isMuted && volume == other.volume
  }
}
