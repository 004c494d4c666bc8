import Pulse
import PulseTypes
import SessionCore

/// The values that a server stores for a program's next streams: PulseAudio's
/// `module-stream-restore`, and WirePlumber. A mute or a volume that a session gives to other
/// programs' streams must not be stored: if a program ends in the meantime, or its stream outlives
/// a killed session, it must not be silent the next time. So the session tells the server at once
/// to store the previous values.
///
/// The server stores our value again with each later change of the stream, so the session repeats
/// this then, and when the stream ends. On PipeWire this takes a while (`StreamMemoryKeeper`): a
/// stream that starts in the meantime with the session's values did not choose them.
struct StreamMemory {
  /// The values to store.
  var saved: SavedStream
  /// The stream when they were last stored.
  var seen: PulseTypes.Stream
  /// Whether the session muted the stream; otherwise it lowered it.
  let isMuted: Bool
  /// The volume that the session set.
  var made: ChannelVolumes?
  /// Whether the stream still had the session's value when last seen; a value that the user chose
  /// in the meantime is rightly stored.
  var isAsMade = true
  /// Whether the server has stored the values; otherwise that is tried again with each look.
  var isStored = true
}

extension LiveServer {
  /// Lets the server store the values that a stream had before a step that silences or ducks it.
  ///
  /// - Parameter stream: the stream before the step; it may have ended since.
  func keepMemory(of stream: PulseTypes.Stream, beside step: Step) async {
    let isMuting = if case .flag = step.to { true } else { false }
    guard step.isLowering(memories[stream.index]?.saved) else {
      // Restored: the server stores the right values by itself, except if the stream is still
      // lowered otherwise.
      guard let memory = memories[stream.index] else { return }
      if memory.isMuted != isMuting {
        let isStored = await save(memory.saved)
        memories[stream.index]?.isStored = isStored
        return
      }
      // A stream that has ended in the meantime may never have been restored.
      guard snapshot.stream(of: step.setting) != nil else {
        return await endMemory(of: stream.index)
      }
      memories[stream.index] = nil
      return
    }
    guard let name = stream.properties["module-stream-restore.id"] else { return }
    var saved = SavedStream(
      name: name, device: nil, channelMap: stream.channelMap,
      volume: stream.volume ?? ChannelVolumes([]), isMuted: stream.isMuted)
    // WirePlumber may restore the stored values only after the stream was first seen.
    if let former = endedMemories[name], stream.isUntouched { saved = former.saved }
    // If a stream is silenced after it was lowered, or lowered again, the first values count.
    if let former = memories[stream.index] { saved = former.saved }
    memories[stream.index] = StreamMemory(
      saved: saved, seen: snapshot.stream(of: step.setting) ?? stream, isMuted: isMuting,
      made: step.to.volume)
    // From now on this stream's values count.
    endedMemories[name]?.isStored = true
    let isStored = await save(saved)
    memories[stream.index]?.isStored = isStored
  }

  /// Uses the value that the session manager restored for a stream as its previous one, except if
  /// it is what the session had set on the program's earlier stream. Returns the previous value.
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

  /// Lets the server store the values of streams that changed or ended again.
  func tendMemories() async {
    let unsaved = endedMemories.filter { !$1.isStored }.keys
    for (index, memory) in memories {
      guard let stream = snapshot.stream(.output, at: index) else {
        await endMemory(of: index)
        continue
      }
      // WirePlumber stores no other value of a stream.
      guard
        !memory.isStored
          || (snapshot.has(.learnedStreams)
            ? !stream.isAsLoud(as: memory.seen) : stream != memory.seen)
      else { continue }
      let now = memory.following(stream)
      memories[index] = now
      guard now.isAsMade else { continue }
      let isStored = await save(now.saved)
      memories[index]?.isStored = isStored
    }
    for name in unsaved {
      guard let memory = endedMemories[name], !memory.isStored,
        !memories.values.contains(where: { $0.saved.name == name })
      else { continue }
      guard await save(memory.saved) else { break }
      endedMemories[name]?.isStored = true
    }
    await tendPlaces()
  }

  /// Lets the server store the values of a stream that has ended, for the last time.
  func endMemory(of index: Index<PulseTypes.Stream>) async {
    guard let memory = memories.removeValue(forKey: index), memory.isAsMade else { return }
    endedMemories[memory.saved.name] = memory
    let isStored = await save(memory.saved)
    endedMemories[memory.saved.name]?.isStored = isStored
  }

  /// The settings of streams that started with the values that the session had set on their
  /// program's earlier stream, and their values without that. Returns each once.
  func takeOver(in snapshot: ServerSnapshot) -> [(setting: Setting, before: SettingValue)] {
    guard !endedMemories.isEmpty else { return [] }
    // By their places: a stream is large to copy.
    let streams = snapshot.sinkInputs
    return streams.indices.compactMap { at in
      guard let name = streams[at].properties["module-stream-restore.id"],
        var memory = endedMemories[name], memory.seen.index.rawValue < streams[at].index.rawValue,
        memories[streams[at].index] == nil, memory.isAsMade(streams[at])
      else { return nil }
      let stream = streams[at]
      memory.seen = stream
      memories[stream.index] = memory
      return memory.isMuted
        ? (.othersMute(stream.index), .flag(memory.saved.isMuted))
        : (.othersVolume(stream.index), .volume(memory.saved.volume))
    }
  }

  /// Forgets ended streams: their values are stored by now, or the server had no time for it.
  func forgetEnded() { endedMemories = [:] }

  /// Returns whether that need not be tried again: a server that stores no streams refuses, which is fine.
  ///
  /// PulseAudio replaces all that it has stored for such streams, PipeWire not the device. The device may be
  /// a person's choice of this moment: without it nothing is stored.
  private func save(_ memory: SavedStream) async -> Bool {
    guard !snapshot.has(.learnedStreams) else {
      await memoryKeeper.remember(memory)
      return true
    }
    return await isAnswered { () throws(PulseError) in
      var memory = memory
      memory.device =
        try await client.savedStreams(timeout: .seconds(1)).first { $0.name == memory.name }?.device
      try await client.save(memory, timeout: .seconds(1))
    }
  }

  /// Whether the server carried out the request, or refused it.
  func isAnswered(_ request: () async throws(PulseError) -> Void) async -> Bool {
    do throws(PulseError) {
      try await request()
      return true
    } catch { return error.code != .timedOut && error.code != .cancelled }
  }
}

extension StreamMemory {
  /// Whether a stream has the value that the session set on this one.
  fileprivate func isAsMade(_ stream: PulseTypes.Stream) -> Bool {
    guard !isMuted else { return stream.isMuted }
    guard let made, let volume = stream.volume else { return false }
    return volume.isNear(made)
  }

  /// Takes over the stream's other values, which the user may have changed.
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
  /// Whether the step makes another program's stream less loud than it was, or than it was before the
  /// session first did: a person may have set it lower meanwhile.
  fileprivate func isLowering(_ saved: SavedStream?) -> Bool {
    switch (from, to) {
    case (_, .flag(let flag)): flag
    case (.volume(let before), .volume(let after)):
      if let saved { !after.isNear(saved.volume) } else { after.loudest < before.loudest }
    default: false
    }
  }
}

extension PulseTypes.Stream {
  /// Whether the stream has the default values of a stream for which nothing is stored.
  fileprivate var isUntouched: Bool {
    !isMuted && volume?.values.allSatisfy { $0 == .norm } == true
  }

  fileprivate func isAsLoud(as other: PulseTypes.Stream) -> Bool {
    isMuted == other.isMuted && volume == other.volume
  }
}
