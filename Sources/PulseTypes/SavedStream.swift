/// What `module-stream-restore` remembers of a program's streams
/// (libpulse: `pa_ext_stream_restore_info`).
public struct SavedStream: Sendable, Hashable, Codable {
  /// Whose: `source-output-by-application-name:firefox`, `sink-input-by-media-role:music`.
  public var name: String
  /// The device that such a stream gets, whatever the default is; nil where it follows the default.
  public var device: String?
  /// The positions of the channels that `volume` is of.
  public var channelMap: ChannelMap
  /// The volume that such a stream begins with; without channels where none is remembered.
  public var volume: ChannelVolumes
  /// Whether such a stream begins muted.
  public var isMuted: Bool

  /// Makes an entry from what the server says.
  public init(
    name: String, device: String?, channelMap: ChannelMap = ChannelMap([]),
    volume: ChannelVolumes = ChannelVolumes([]), isMuted: Bool = false
  ) {
    self.name = name
    self.device = device
    self.channelMap = channelMap
    self.volume = volume
    self.isMuted = isMuted
  }

  /// Which way the sound goes; nil where the name does not say.
  public var direction: Direction? {
    if name.hasPrefix("source-output-") { return .input }
    return name.hasPrefix("sink-input-") ? .output : nil
  }

  /// What people know it by: what follows the first colon.
  public var owner: String {
    name.split(separator: ":", maxSplits: 1).dropFirst().first.map(String.init) ?? name
  }
}
