import Pulse
import PulseTypes
import SessionCore

/// What a server remembers of a program's streams, for its next ones: PulseAudio's
/// `module-stream-restore`, and WirePlumber. A mute or a volume that a session gives to streams of
/// others is not meant to be: a program that ends meanwhile, or whose stream outlives a session that is
/// killed, must not be silent the next time. So the server is told at once to remember what was before.
extension LiveServer {
  /// Has the server remember what a stream was before a step that silences or ducks it.
  func keepMemory(beside step: Step) async {
    guard let stream = snapshot.stream(of: step.setting) else { return }
    // Given back: what the server makes of that by itself is right.
    guard step.isLowering else { return memories[stream.index] = nil }
    guard let name = stream.properties["module-stream-restore.id"] else { return }
    var memory = SavedStream(
      name: name, device: await savedDevice(name), channelMap: stream.channelMap,
      volume: stream.volume ?? ChannelVolumes([]), isMuted: stream.isMuted)
    if let former = memories[stream.index] { memory = former }
    if case .flag(let flag)? = step.from { memory.isMuted = flag }
    if case .volume(let volume)? = step.from { memory.volume = volume }
    memories[stream.index] = memory
    await save(memory)
  }

  /// Says it once more for streams that ended: PipeWire's session manager may have noted our value
  /// only after it was told.
  func tendMemories() async {
    let gone = memories.keys.filter { index in
      !snapshot.sinkInputs.contains { $0.index == index }
    }
    for index in gone {
      guard let memory = memories.removeValue(forKey: index) else { continue }
      await save(memory)
    }
  }

  /// The device that PulseAudio keeps for such streams, which must stay; PipeWire keeps it anyway.
  private func savedDevice(_ name: String) async -> String? {
    guard !snapshot.hasGraph else { return nil }
    return try? await client.savedStreams(timeout: .seconds(1)).first { $0.name == name }?.device
  }

  /// A server that remembers no streams says no, which is as good.
  private func save(_ memory: SavedStream) async {
    if snapshot.hasGraph {
      // PipeWire tells nobody of an entry that is as it was the last time.
      var other = memory
      other.isMuted.toggle()
      try? await client.save(other, timeout: .seconds(1))
    }
    try? await client.save(memory, timeout: .seconds(1))
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

extension ServerSnapshot {
  /// The stream of others that a setting is about.
  fileprivate func stream(of setting: Setting) -> Stream? {
    switch setting {
    case .othersMute(let index), .othersVolume(let index):
      sinkInputs.first { $0.index == index }
    default: nil
    }
  }
}
