/// The values that `module-stream-restore` stores for a program's streams (libpulse:
/// `pa_ext_stream_restore_info`).
public struct SavedStream: Sendable, Hashable, Codable {
  /// The key: `source-output-by-application-name:firefox`, `sink-input-by-media-role:music`.
  public var name: String
  /// The device for such a stream, whatever the default is; nil if it follows the default.
  public var device: String?
  /// The positions of the channels in `volume`.
  public var channelMap: ChannelMap
  /// The initial volume of such a stream; without channels if none is stored.
  public var volume: ChannelVolumes
  /// Whether such a stream is muted initially.
  public var isMuted: Bool

  package init(
    name: String, device: String?, channelMap: ChannelMap = ChannelMap([]),
    volume: ChannelVolumes = ChannelVolumes([]), isMuted: Bool = false
  ) {
    self.name = name
    self.device = device
    self.channelMap = channelMap
    self.volume = volume
    self.isMuted = isMuted
  }

  /// The direction of the sound; nil if the key does not have it.
  public var direction: Direction? {
    if name.hasPrefix("source-output-") { return .input }
    return name.hasPrefix("sink-input-") ? .output : nil
  }

  /// The program's name or role: what follows the first colon.
  public var owner: String {
    name.split(separator: ":", maxSplits: 1).dropFirst().first.map(String.init) ?? name
  }
}
